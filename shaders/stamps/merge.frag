#version 330
// Brings Primary's hits into Temp. Texels that no triangle covers take the nearest covered one's value within
// 5 x 5: the gutter that keeps texture filtering from fetching unmarked texels at the seams of the layout.
// Inputs: u_primary; u_gain, what one full mark is in Temp now; u_blend, how marks meet those before them
// (0 over, 1 add, 2 max, 3 erase); v_uv; for half floats, u_rounding.
// Outputs (dual source): Temp = o_color + Temp * o_keep.a; for max, the greater of Temp and o_color.
// CHANNELS: 1 or 4. HALF_FLOAT: 1 if Temp holds half floats.

#ifndef CHANNELS
#define CHANNELS 4
#endif
#ifndef HALF_FLOAT
#define HALF_FLOAT 0
#endif

#pragma include <rtstamp/common/rounding.glsl>
#pragma include <rtstamp/stamps/primary.glsl>

uniform sampler2D u_primary;
uniform float u_gain;
uniform int u_blend;
in vec2 v_uv;
layout(location = 0, index = 0) out vec4 o_color;
layout(location = 0, index = 1) out vec4 o_keep;

const int REACH = 2;

float stored_mask(vec4 texel) {
    return CHANNELS == 1 ? texel.r : texel.a;
}

vec4 nearest_covered(ivec2 center) {
    vec4 nearest = vec4(0.0);
    float nearest_distance = 1e9;
    ivec2 last = textureSize(u_primary, 0) - 1;
    for (int y = -REACH; y <= REACH; y++) {
        for (int x = -REACH; x <= REACH; x++) {
            vec4 texel = texelFetch(u_primary, clamp(center + ivec2(x, y), ivec2(0), last), 0);
            // Of two at the same distance the one that is marked more: beside a seam a gap is worse than
            // paint that nobody sees.
            float reach = float(x * x + y * y) - 0.5 * stored_mask(texel);
            if (is_covered(stored_mask(texel)) && reach < nearest_distance) {
                nearest_distance = reach;
                nearest = texel;
            }
        }
    }
    return nearest;
}

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    vec4 primary = texelFetch(u_primary, texel, 0);
    if (!is_covered(stored_mask(primary))) {
        primary = nearest_covered(texel);
    }
    float mask = decode_mask(stored_mask(primary));
    vec4 mark = CHANNELS == 1 ? vec4(mask) : vec4(primary.rgb * mask, mask);
    o_color = u_blend == 3 ? vec4(0.0) : mark * u_gain;
    o_keep = vec4(u_blend == 1 ? 1.0 : 1.0 - mask);
#if HALF_FLOAT
    o_color *= half_float_correction();
    o_keep *= half_float_correction();
#endif
}
