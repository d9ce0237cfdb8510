#version 120
// Appended to a model's own vertex shader, whatever its version: hands on the stamp UVs.

RTSTAMP_IN vec3 rtstamp_uv;
#if __VERSION__ >= 120
centroid
#endif
RTSTAMP_OUT vec2 rtstamp_v_uv;

void main() {
    RTSTAMP_USER_MAIN();
    // What has no stamp UVs, as a child of a marked node, reads zeros: it lies off the texture.
    rtstamp_v_uv = rtstamp_uv.z > 0.5 ? rtstamp_uv.xy : vec2(-1.0);
}
