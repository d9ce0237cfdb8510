#version 330
// A model in the studio. Outputs: position and normal in view space, colour and texture coordinates.

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 p3d_Color;
in vec2 p3d_MultiTexCoord0;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform mat3 p3d_NormalMatrix;
out vec3 v_position;
out vec3 v_normal;
out vec4 v_color;
out vec2 v_uv;

void main() {
    v_position = (p3d_ModelViewMatrix * p3d_Vertex).xyz;
    v_normal = p3d_NormalMatrix * p3d_Normal;
    v_color = p3d_Color;
    v_uv = p3d_MultiTexCoord0;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
