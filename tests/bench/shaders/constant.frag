#version 330
// One colour. Input: u_color.

uniform vec4 u_color;
out vec4 o_color;

void main() {
    o_color = u_color;
}
