#version 330
// The mask in time: each texel goes towards what is seen now, at a steady rate.
// Inputs: u_before, as it was in the last frame; u_mask, what is seen now; u_steps, how far it may rise and fall
// in this frame. Output: red.

uniform sampler2D u_before;
uniform sampler2D u_mask;
uniform vec2 u_steps;
out vec4 o_color;

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    float before = texelFetch(u_before, texel, 0).r;
    float wanted = texelFetch(u_mask, texel, 0).r;
    o_color = vec4(before + clamp(wanted - before, -u_steps.y, u_steps.x));
}
