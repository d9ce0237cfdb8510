// What a vision mask shows, for any shader. Works from GLSL 1.20 on.
// Inputs, which VisionMask sets:
//   rtstamp_mask         1 is seen, 0 is not; u along the world's +X, v along its +Y
//   rtstamp_mask_rect    what it covers: (center x, center y, width, height), in world units
//   rtstamp_mask_beyond  what is outside: 0 hidden, 1 seen
// Function:
//   float rtstamp_seen(vec2 world)  how far a place in the world, (x, y), is seen: 0..1

uniform sampler2D rtstamp_mask;
uniform vec4 rtstamp_mask_rect;
uniform float rtstamp_mask_beyond;

float rtstamp_seen(vec2 world) {
    vec2 from_center = (world - rtstamp_mask_rect.xy) / rtstamp_mask_rect.zw;
#if __VERSION__ >= 130
    float seen = texture(rtstamp_mask, from_center + 0.5).r;
#else
    float seen = texture2D(rtstamp_mask, from_center + 0.5).r;
#endif
    return max(abs(from_center.x), abs(from_center.y)) > 0.5 ? rtstamp_mask_beyond : seen;
}
