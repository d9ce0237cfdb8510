#version 120
// Appended to a model's own vertex shader, whatever its version: hands on the stamp UVs.

RTSTAMP_IN vec2 rtstamp_uv;
RTSTAMP_OUT vec2 rtstamp_v_uv;

void main() {
    RTSTAMP_USER_MAIN();
    rtstamp_v_uv = rtstamp_uv;
}
