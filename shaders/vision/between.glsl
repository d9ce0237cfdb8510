// Whether a wall is between an eye and a point, all relative to the eye.
// A wall that faces the eye, from where its first end is on the left, is as thick as its thickness, in world
// units: what lies no deeper behind its face is before it. Where the wall ends sooner, its back face hides
// that.

#pragma include <rtstamp/vision/cross2.glsl>

// Signs and no quotients: two walls that share a corner give the same answers there.
bool is_between(vec2 a, vec2 b, vec2 point, float thickness) {
    float from_a = cross2(point, a);
    float from_b = cross2(point, b);
    float of_wall = cross2(a, b);
    // Beyond the wall's line, as seen from the eye: the distance from it, times the wall's length.
    float beyond = cross2(b - a, point - a);
    bool in_arc = from_a * from_b <= 0.0 && from_a != from_b;
    bool is_behind = of_wall != 0.0 && of_wall * beyond < 0.0;
    float depth = of_wall < 0.0 ? thickness : 0.0;
    return in_arc && is_behind && abs(beyond) > depth * length(b - a);
}

// Whether a point lies behind the line through a wall: that of a wall whose ends are the same is nowhere.
bool is_beyond(vec2 a, vec2 b, vec2 point, float thickness) {
    float of_wall = cross2(a, b);
    float beyond = cross2(b - a, point - a);
    float depth = of_wall < 0.0 ? thickness : 0.0;
    return of_wall * beyond < 0.0 && abs(beyond) > depth * length(b - a);
}
