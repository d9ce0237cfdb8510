#version 120
// Appended to a model's own fragment shader, whatever its version: darkens what the mask does not show.
// Inputs: mask.glsl's; rtstamp_dark: what is left of the light where nothing is seen, 0..1.

#pragma include <rtstamp/vision/mask.glsl>

uniform float rtstamp_dark;
RTSTAMP_IN vec2 rtstamp_v_world;

void main() {
    RTSTAMP_USER_MAIN();
    RTSTAMP_OUTPUT.rgb *= mix(rtstamp_dark, 1.0, rtstamp_seen(rtstamp_v_world));
}
