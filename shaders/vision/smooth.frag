#version 330
// The mask in time: each texel goes towards what is seen now, at a steady rate.
// Inputs: u_before, as it was in the last frame; u_mask, what is seen now; u_steps, how far it may rise and
// fall in this frame; u_shift, by how many texels the mask's rectangle has moved since. Output: red.

uniform sampler2D u_before;
uniform sampler2D u_mask;
uniform vec2 u_steps;
uniform ivec2 u_shift;
out vec4 o_color;

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    float wanted = texelFetch(u_mask, texel, 0).r;
    ivec2 source = texel + u_shift;
    bool is_new = any(lessThan(source, ivec2(0))) || any(greaterThanEqual(source, textureSize(u_mask, 0)));
    float before = is_new ? wanted : texelFetch(u_before, source, 0).r;
    o_color = vec4(before + clamp(wanted - before, -u_steps.y, u_steps.x));
}
