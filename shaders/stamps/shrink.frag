#version 330
// Brings a texture into one of half the size: each texel is the mean of four, premultiplied as they are.
// Input: u_source, of twice the size. Output: its means.

uniform sampler2D u_source;
out vec4 o_color;

void main() {
    ivec2 corner = 2 * ivec2(gl_FragCoord.xy);
    o_color = 0.25 * (texelFetch(u_source, corner, 0) + texelFetch(u_source, corner + ivec2(1, 0), 0)
                      + texelFetch(u_source, corner + ivec2(0, 1), 0)
                      + texelFetch(u_source, corner + ivec2(1, 1), 0));
}
