#version 330
// The mask: what one viewer sees if no wall shades it; or, with MAP, if the wall map says so.
// Inputs: u_texels, of the mask; u_size and u_middle, of its rectangle; u_eye, from the same origin; u_range;
// u_cone, (forward, cosine of half the field of view); u_strength. With MAP: u_walls, the wall map; u_row,
// (row, columns); u_thickness, of walls; u_bias, or with IDS u_segments, the ends of the walls by their
// numbers.
// Output: the strength where it is seen. MAP: 0 or 1. IDS: 0 or 1.

#ifndef MAP
#define MAP 0
#endif
#ifndef IDS
#define IDS 0
#endif

uniform vec2 u_size;
uniform vec2 u_middle;
uniform vec2 u_eye;
uniform float u_range;
uniform vec3 u_cone;
uniform float u_strength;
uniform float u_texels;
out vec4 o_seen;

#if MAP
uniform sampler2D u_walls;
uniform ivec2 u_row;
uniform float u_bias;
uniform float u_thickness;
uniform samplerBuffer u_segments;

#pragma include <rtstamp/vision/between.glsl>
#pragma include <rtstamp/vision/direction.glsl>

// True if the wall of this number is between the eye and the point, relative to the eye.
bool is_behind(int number, vec2 point) {
    vec4 ends = texelFetch(u_segments, number - 1);
    return is_between(ends.xy - u_eye, ends.zw - u_eye, point, u_thickness);
}

bool is_shaded(vec2 point) {
    int column = int(floor(direction(point) * float(u_row.y)));
#if IDS
    // The nearest walls of the columns beside it as well: where one ends, another begins. Walls that are
    // narrower than a column need not lie between: what is behind all three is shaded.
    bool beyond_all = true;
    for (int i = -1; i <= 1; i++) {
        int number = int(texelFetch(u_walls, ivec2((column + i + u_row.y) % u_row.y, u_row.x), 0).y);
        if (number > 0 && is_behind(number, point)) {
            return true;
        }
        vec4 ends = texelFetch(u_segments, max(number - 1, 0)) - u_eye.xyxy;
        beyond_all = beyond_all && number > 0 && is_beyond(ends.xy, ends.zw, point, u_thickness);
    }
    return beyond_all;
#else
    float wall = texelFetch(u_walls, ivec2(column % u_row.y, u_row.x), 0).x;
    return (length(point) - u_thickness) / u_range - u_bias > wall;
#endif
}
#endif

void main() {
    vec2 point = (gl_FragCoord.xy / u_texels - 0.5) * u_size + u_middle - u_eye;
    float far = length(point);
    bool seen = far <= u_range && dot(point, u_cone.xy) >= u_cone.z * far;
#if MAP
    seen = seen && !is_shaded(point);
#endif
    o_seen = vec4(seen ? u_strength : 0.0);
}
