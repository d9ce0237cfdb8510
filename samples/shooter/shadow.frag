#version 330
// Only the depth counts.

out vec4 o_color;

void main() {
    o_color = vec4(1.0);
}
