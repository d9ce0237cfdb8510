#version 330
// A wall. Outputs: v_uv; v_normal in view space; v_world, the position in the world.

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec2 p3d_MultiTexCoord0;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat3 p3d_NormalMatrix;
out vec2 v_uv;
out vec3 v_normal;
out vec4 v_world;

void main() {
    v_uv = p3d_MultiTexCoord0;
    v_normal = p3d_NormalMatrix * p3d_Normal;
    v_world = p3d_ModelMatrix * p3d_Vertex;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
