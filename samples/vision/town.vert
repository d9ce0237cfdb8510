#version 330
// The town, and what lies on its ground. Outputs: place in the world, position and normal in view space, colour.

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 p3d_Color;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat3 p3d_NormalMatrix;
out vec3 v_world;
out vec3 v_position;
out vec3 v_normal;
out vec4 v_color;

void main() {
    v_world = (p3d_ModelMatrix * p3d_Vertex).xyz;
    v_position = (p3d_ModelViewMatrix * p3d_Vertex).xyz;
    v_normal = p3d_NormalMatrix * p3d_Normal;
    v_color = p3d_Color;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
