#version 330
// The studio's floor. Outputs: position in the world and in view space.

in vec4 p3d_Vertex;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 p3d_ModelMatrix;
out vec3 v_world;
out vec3 v_position;

void main() {
    v_world = (p3d_ModelMatrix * p3d_Vertex).xyz;
    v_position = (p3d_ModelViewMatrix * p3d_Vertex).xyz;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
