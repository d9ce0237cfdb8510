// What the viewers of a group see, worked out at a place, for any shader. Works from GLSL 1.20 on.
// Inputs, beside those of mask.glsl, which is included before:
//   rtstamp_sight_ends     a row for each viewer, a column for each direction: of the walls that end there,
//                          the one whose end is nearest; as its ends, relative to the eye, zeros if there is
//                          none
//   rtstamp_sight_walls    likewise, the wall that is seen past that end, or amid the column if there is none
//   rtstamp_sight_viewers  two texels a row: (eye, range, strength), (forward, cosine of half the field of
//                          view, how many viewers there are)
// Function:
//   float rtstamp_seen_precisely(vec2 world)  how far a place in the world, (x, y), is seen: 0..1

uniform sampler2D rtstamp_sight_ends;
uniform sampler2D rtstamp_sight_walls;
uniform sampler2D rtstamp_sight_viewers;

const int rtstamp_most_viewers = 32;
const float rtstamp_columns = 8192.0;
const float rtstamp_turn = 6.28318530717959;

// Names that a shader of anyone may have itself.
#define cross2 rtstamp_cross2
#define is_between rtstamp_is_between
#define is_beyond rtstamp_is_beyond
#pragma include <rtstamp/vision/between.glsl>
#undef cross2
#undef is_between
#undef is_beyond

vec4 rtstamp_texel(sampler2D from, float column, int row, float columns) {
#if __VERSION__ >= 130
    return texelFetch(from, ivec2(int(column), row), 0);
#else
    return texture2D(from, vec2((column + 0.5) / columns, (float(row) + 0.5) / float(rtstamp_most_viewers)));
#endif
}

// The point is relative to the eye.
bool rtstamp_is_shaded(vec2 point, int viewer) {
    float column = floor((atan(point.x, point.y) / rtstamp_turn + 0.5) * rtstamp_columns);
    // The walls of the columns beside it as well: where one ends, another begins. Walls that are narrower
//                          than a
    // column need not lie between: what is behind all three is shaded.
    bool beyond_all = true;
    for (int i = -1; i <= 1; i++) {
        float beside = mod(column + float(i), rtstamp_columns);
        vec4 ending = rtstamp_texel(rtstamp_sight_ends, beside, viewer, rtstamp_columns);
        vec4 wall = rtstamp_texel(rtstamp_sight_walls, beside, viewer, rtstamp_columns);
        bool shaded = rtstamp_is_between(ending.xy, ending.zw, point, 0.0);
        if (shaded || rtstamp_is_between(wall.xy, wall.zw, point, 0.0)) {
            return true;
        }
        beyond_all = beyond_all && rtstamp_is_beyond(wall.xy, wall.zw, point, 0.0);
    }
    return beyond_all;
}

float rtstamp_seen_precisely(vec2 world) {
    int count = int(rtstamp_texel(rtstamp_sight_viewers, 1.0, 0, 2.0).w);
    vec2 from_center = (world - rtstamp_mask_rect.xy) / rtstamp_mask_rect.zw;
    if (count > rtstamp_most_viewers || max(abs(from_center.x), abs(from_center.y)) > 0.5) {
        return rtstamp_seen(world);
    }
    float seen = 0.0;
    for (int i = 0; i < rtstamp_most_viewers; i++) {
        if (i >= count || seen >= 1.0) {
            break;
        }
        vec4 viewer = rtstamp_texel(rtstamp_sight_viewers, 0.0, i, 2.0);
        vec3 cone = rtstamp_texel(rtstamp_sight_viewers, 1.0, i, 2.0).xyz;
        vec2 point = world - viewer.xy;
        float far = length(point);
        if (far <= viewer.z && dot(point, cone.xy) >= cone.z * far && !rtstamp_is_shaded(point, i)) {
            seen += viewer.w;
        }
    }
    return min(seen, 1.0);
}
