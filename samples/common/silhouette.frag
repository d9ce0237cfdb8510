#version 330
// What the light sees of a model: its outline.

out vec4 o_color;

void main() {
    o_color = vec4(1.0);
}
