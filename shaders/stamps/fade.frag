#version 330
// What Temp is multiplied by, once for each time a fade is stored.
// Inputs: u_factor; v_uv is there for shaders of users. Output: the factor of each channel.

uniform float u_factor;
in vec2 v_uv;
out vec4 o_color;

void main() {
    o_color = vec4(u_factor);
}
