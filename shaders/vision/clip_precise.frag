#version 120
// Appended to a model's own fragment shader, whatever its version: draws nothing where no viewer sees it.
// Inputs: mask.glsl's and precise.glsl's; rtstamp_mask_threshold: from where on up it is seen, 0..1.

#pragma include <rtstamp/vision/mask.glsl>
#pragma include <rtstamp/vision/precise.glsl>

uniform float rtstamp_mask_threshold;
RTSTAMP_IN vec2 rtstamp_v_world;

void main() {
    if (rtstamp_seen_precisely(rtstamp_v_world) < rtstamp_mask_threshold) {
        discard;
    }
    RTSTAMP_USER_MAIN();
}
