#version 330
// Masks every hit of this frame onto the unfolded surface, one after another.
// Inputs: v_position (world axes, relative to the capture's origin), v_uv, the hits (hits.glsl).
// Output: colour, and the mask encoded as primary.glsl says; one-channel targets get the mask in red.
// The colour is straight, not premultiplied: 8 bits then hold it exactly however faint the mask is.
// ADDS: hits add up; else each covers the ones before it. CHANNELS: 1 or 4.

#ifndef ADDS
#define ADDS 0
#endif
#ifndef CHANNELS
#define CHANNELS 4
#endif

#pragma include <rtstamp/stamps/hits.glsl>
#pragma include <rtstamp/stamps/primary.glsl>

in vec3 v_position;
in vec2 v_uv;
out vec4 o_color;

void main() {
    vec4 mark = vec4(0.0);
    for (int i = 0; i < u_hit_count; i++) {
        Hit hit = hit_at(i);
        float mask = hit_mask(hit, v_position);
        float keep = ADDS == 1 ? 1.0 : 1.0 - mask;
        mark = mark * keep + vec4(hit.color, 1.0) * mask;
    }
    mark = min(mark, 1.0);
    float stored = encode_mask(mark.a);
    o_color = CHANNELS == 1 ? vec4(stored) : vec4(mark.rgb / max(mark.a, 1e-6), stored);
}
