#version 330
// One value in every texel. Input: u_value.

uniform vec4 u_value;
out vec4 o_color;

void main() {
    o_color = u_value;
}
