#version 330
// The mask: the shadow that a segment throws, as far as the viewer sees, and a texel more on each side.
// Inputs: segments.glsl; u_size, of the mask's rectangle; u_middle, of it, relative to the origin; u_texel,
// how much of the world a texel covers at most; u_layer, the viewer's depth.
// Outputs: clip space, whose depth is the viewer's layer; v_ends, the segment's ends relative to the eye.

#pragma include <rtstamp/vision/segments.glsl>

uniform vec2 u_size;
uniform vec2 u_middle;
uniform float u_texel;
uniform float u_layer;
flat out vec4 v_ends;

// An end, from the eye, moved a texel away from the other one, as seen from there.
vec2 widened(vec2 end, vec2 other) {
    vec2 across = normalize(vec2(-end.y, end.x));
    return end + u_texel * across * (dot(across, other) > 0.0 ? -1.0 : 1.0);
}

// Where the shadow ends: far enough for its whole width, or at infinity, where a vertex is a direction (w =
// 0).
vec4 beyond_range(vec2 way, vec2 way_a, vec2 way_b) {
    float nearest = sqrt(max(0.5 + 0.5 * dot(way_a, way_b), 0.0));  // of what lies between two ends at 1
    if (nearest < 0.2) {
        return vec4(way * 2.0 / u_size, 0.0, 0.0);
    }
    return vec4((u_eye + way * (u_range / nearest + 2.0 * u_texel) - u_middle) * 2.0 / u_size, u_layer, 1.0);
}

void main() {
    vec2 a = segment.xy - u_eye;
    vec2 b = segment.zw - u_eye;
    v_ends = vec4(a, b);
    vec2 wide_a = widened(a, b);
    vec2 wide_b = widened(b, a);
    // Of a wall right before the eye the shadow is half of the world, and cannot be wider.
    bool narrow = cross2(a, b) * cross2(wide_a, wide_b) > 0.0;
    vec2 away = p3d_Vertex.x < 0.5 ? (narrow ? wide_a : a) : (narrow ? wide_b : b);
    // It begins two texels before the wall: one for that by which an end may have moved behind it. Along the
    // line of sight that is far for a wall that is seen from its end; but no farther than to the eye.
    float per_length = abs(dot(normalize(away), normalize(vec2(a.y - b.y, b.x - a.x))));
    float share = max(1.0 - 2.0 * u_texel / max(per_length * length(away), 1e-30), 0.0);
    vec4 near = vec4((u_eye + away * share - u_middle) * 2.0 / u_size, u_layer, 1.0);
    vec4 far = beyond_range(normalize(away), normalize(wide_a), normalize(wide_b));
    gl_Position = out_of_range(a, b) ? vec4(2.0, 2.0, 2.0, 1.0) : (p3d_Vertex.y < 0.0 ? near : far);
}
