#version 330
// Anything in the arena. Outputs: position in the world and in view space, normal in view space, colour,
// texture coordinates, and the coordinates that marks are laid out by.

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 p3d_Color;
in vec2 p3d_MultiTexCoord0;
in vec2 rtstamp_uv;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat3 p3d_NormalMatrix;
uniform vec4 p3d_ColorScale;
out vec3 v_world;
out vec3 v_position;
out vec3 v_normal;
out vec3 v_color;
out vec2 v_uv;
centroid out vec2 v_mark_uv;

void main() {
    v_world = (p3d_ModelMatrix * p3d_Vertex).xyz;
    v_position = (p3d_ModelViewMatrix * p3d_Vertex).xyz;
    v_normal = p3d_NormalMatrix * p3d_Normal;
    v_color = p3d_Color.rgb * p3d_ColorScale.rgb;
    v_uv = p3d_MultiTexCoord0;
    v_mark_uv = rtstamp_uv;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
