#version 330
// The marks of a model, drawn over it: the same geometry, skinned as captures skin it.
// Outputs: v_uv, the stamp UVs; v_position and v_normal in the API's view space; v_clip_z, clip space's Z;
// v_alpha and v_texcoords for cutout.glsl. Inputs for these: u_vertex_alpha, 0 where a texture replaces it.
// STAGES: how many textures, 0 to 3.

#ifndef STAGES
#define STAGES 0
#endif

#pragma include <rtstamp/common/skinning.glsl>
#pragma include <rtstamp/common/normal.glsl>

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec2 rtstamp_uv;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform vec4 p3d_ColorScale;
uniform int u_vertex_alpha;
in vec4 p3d_Color;
centroid out float v_alpha;
#if STAGES > 0
in vec2 p3d_MultiTexCoord0;
uniform mat4 p3d_TextureMatrix[STAGES];
centroid out vec2 v_texcoords[STAGES];
#endif
#if STAGES > 1
in vec2 p3d_MultiTexCoord1;
#endif
#if STAGES > 2
in vec2 p3d_MultiTexCoord2;
#endif
// Under multisampling the middle of a pixel can lie beyond the surface, and its UVs in another part of the
// texture.
centroid out vec2 v_uv;
out float v_clip_z;
out vec3 v_position;
out vec3 v_normal;

void main() {
    mat4 skin = skinning_matrix();
    vec4 vertex = skin * p3d_Vertex;
    v_uv = rtstamp_uv;
    v_alpha = u_vertex_alpha == 1 ? p3d_Color.a * p3d_ColorScale.a : 1.0;
#if STAGES > 0
    v_texcoords[0] = (p3d_TextureMatrix[0] * vec4(p3d_MultiTexCoord0, 0.0, 1.0)).xy;
#endif
#if STAGES > 1
    v_texcoords[1] = (p3d_TextureMatrix[1] * vec4(p3d_MultiTexCoord1, 0.0, 1.0)).xy;
#endif
#if STAGES > 2
    v_texcoords[2] = (p3d_TextureMatrix[2] * vec4(p3d_MultiTexCoord2, 0.0, 1.0)).xy;
#endif
    v_position = (p3d_ModelViewMatrix * vertex).xyz;
    v_normal = turned_normal(mat3(p3d_ModelViewMatrix), mat3(skin) * p3d_Normal);
    gl_Position = p3d_ModelViewProjectionMatrix * vertex;
    v_clip_z = gl_Position.z;
    // Nearer by a few roundings: the model's own shader may multiply its matrices in another order.
    gl_Position.z -= 1e-6 * gl_Position.w;
}
