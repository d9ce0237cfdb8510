#version 120
// Appended to a model's own fragment shader, whatever its version: draws nothing where nothing is seen.
// Inputs: mask.glsl's; rtstamp_mask_threshold: from where on up it is seen, 0..1.

#pragma include <rtstamp/vision/mask.glsl>

uniform float rtstamp_mask_threshold;
RTSTAMP_IN vec2 rtstamp_v_world;

void main() {
    if (rtstamp_seen(rtstamp_v_world) < rtstamp_mask_threshold) {
        discard;
    }
    RTSTAMP_USER_MAIN();
}
