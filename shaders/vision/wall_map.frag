#version 330
// The wall map: how far it is to a segment along a column's ray.
// Inputs: what wall_map.vert hands on; u_rays, the direction of each column's centre; u_range. With PAST:
// u_ends, what wall_ends.vert draws; the ray goes close past the end in the column, if there is one.
// Outputs: (distance / range, the segment's number), or with PAST the ends of the segment, relative to the
// eye; the depth, of which the greatest is the nearest.

#ifndef PAST
#define PAST 0
#endif

uniform sampler2D u_rays;
uniform float u_range;
flat in vec4 v_ends;
flat in float v_number;
out vec4 o_wall;

#pragma include <rtstamp/vision/cross2.glsl>

#if PAST
uniform sampler2D u_ends;

// Radians: above what 32-bit floats round by, and far less than a column.
const float CLOSE = 4e-6;

// On the side where the wall is not.
vec2 past(vec2 end, vec2 other) {
    return normalize(end + CLOSE * sign(cross2(end, other)) * vec2(end.y, -end.x));
}
#endif

void main() {
    vec2 ray = texelFetch(u_rays, ivec2(int(gl_FragCoord.x), 0), 0).xy;
#if PAST
    vec4 ends = texelFetch(u_ends, ivec2(gl_FragCoord.xy), 0);
    ray = ends == vec4(0.0) ? ray : past(ends.xy, ends.zw);
#endif
    // The ends lie on either side of the ray, or on it: the same answer for both walls at a corner.
    bool between = cross2(ray, v_ends.xy) * cross2(ray, v_ends.zw) <= 0.0;
    vec2 along = v_ends.zw - v_ends.xy;
    float far = cross2(v_ends.xy, along) / cross2(ray, along) / u_range;
    // Also false for what is not a number.
    if (!(between && far > 0.0 && far < 1.0)) {
        discard;
    }
#if PAST
    o_wall = v_ends;
#else
    o_wall = vec4(far, v_number, 0.0, 1.0);
#endif
    gl_FragDepth = 1.0 - far;
}
