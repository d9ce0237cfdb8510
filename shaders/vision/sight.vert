#version 330
// A card over the whole mask. Inputs: the corners, -1..1 in X and Z; u_layer, its depth.
// Output: clip space, and v_uv, 0..1 over the mask, v upwards.

in vec4 p3d_Vertex;
uniform float u_layer;
out vec2 v_uv;

void main() {
    v_uv = p3d_Vertex.xz * 0.5 + 0.5;
    gl_Position = vec4(p3d_Vertex.xz, u_layer, 1.0);
}
