#version 120
// Appended to a model's own fragment shader, whatever its version: lays the marks over the colour it gave.
// RTSTAMP_LOOK: rtstamp_paint, rtstamp_tint or rtstamp_glow.

#pragma include <rtstamp/common/mark.glsl>

#if __VERSION__ >= 120
centroid
#endif
RTSTAMP_IN vec2 rtstamp_v_uv;

void main() {
    RTSTAMP_USER_MAIN();
    RTSTAMP_OUTPUT.rgb = RTSTAMP_LOOK(RTSTAMP_OUTPUT.rgb, rtstamp_mark(rtstamp_v_uv));
}
