#version 330
// How much of a surface is marked: each texel of a small target sums up a square of Temp's.
// Inputs: u_temp; u_weights, the share of the surface that each of its texels is, times their number;
// u_share, what Temp is to be multiplied by to be what is seen; u_intensity; u_cell, the squares' edge in
// texels.
// Output: the mean of the marked share over the whole surface is the mean of all texels.

uniform sampler2D u_temp;
uniform sampler2D u_weights;
uniform float u_share;
uniform float u_intensity;
uniform int u_cell;
uniform int u_channels;
out vec4 o_color;

void main() {
    ivec2 corner = ivec2(gl_FragCoord.xy) * u_cell;
    float sum = 0.0;
    for (int y = 0; y < u_cell; y++) {
        // By rows: sums of like size lose fewer digits.
        float row = 0.0;
        for (int x = 0; x < u_cell; x++) {
            vec4 stored = texelFetch(u_temp, corner + ivec2(x, y), 0);
            float mask = clamp((u_channels == 1 ? stored.r : stored.a) * u_share, 0.0, 1.0);
            row += clamp(mask * u_intensity, 0.0, 1.0) * texelFetch(u_weights, corner + ivec2(x, y), 0).r;
        }
        sum += row;
    }
    o_color = vec4(sum / float(u_cell * u_cell));
}
