#version 330
// Holds Temp to what one full mark is in it now, by a minimum blend: marks that add up never outlive a single
// one. Input: u_gain. Output: the limit of each channel.

uniform float u_gain;
out vec4 o_color;

void main() {
    o_color = vec4(u_gain);
}
