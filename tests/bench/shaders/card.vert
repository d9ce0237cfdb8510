#version 330
// A card over the whole display region. Input: corners, -1..1 in X and Z.

in vec4 p3d_Vertex;

void main() {
    gl_Position = vec4(p3d_Vertex.xz, 0.0, 1.0);
}
