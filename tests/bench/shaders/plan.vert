#version 330
// Things seen from above, over a square of the world around its origin. Inputs: x and y; u_size, its edge.

in vec4 p3d_Vertex;
uniform float u_size;

void main() {
    gl_Position = vec4(p3d_Vertex.xy * 2.0 / u_size, 0.0, 1.0);
}
