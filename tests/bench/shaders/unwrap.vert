#version 330
// Lays a model out by its UVs. Outputs: v_position, in the model's space; clip space.

in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
out vec3 v_position;

void main() {
    v_position = p3d_Vertex.xyz;
    gl_Position = vec4(p3d_MultiTexCoord0 * 2.0 - 1.0, 0.0, 1.0);
}
