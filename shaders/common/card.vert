#version 330
// A card over the whole render target.
// Input: the corners, -1..1 in X and Z. Output: clip space, and v_uv, 0..1 over the target, v upwards.

in vec4 p3d_Vertex;
out vec2 v_uv;

void main() {
    v_uv = p3d_Vertex.xz * 0.5 + 0.5;
    gl_Position = vec4(p3d_Vertex.xz, 0.0, 1.0);
}
