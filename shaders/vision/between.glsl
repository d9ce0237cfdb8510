// Whether a wall is between an eye and a point, all relative to the eye.
// A wall that faces the eye, from where its first end is on the left, is as thick as its thickness, in world
// units: what lies no deeper behind its face is before it. Where the wall ends sooner, its back face hides
// that.

float cross2(vec2 first, vec2 second) {
    return first.x * second.y - first.y * second.x;
}

// Signs and no quotients: two walls that share a corner give the same answers there.
bool is_between(vec2 a, vec2 b, vec2 point, float thickness) {
    float from_a = cross2(point, a);
    float from_b = cross2(point, b);
    float of_wall = cross2(a, b);
    // Beyond the wall's line, as seen from the eye: the distance from it, times the wall's length.
    float beyond = from_a - from_b + of_wall;
    bool in_arc = from_a * from_b <= 0.0 && from_a != from_b;
    bool is_behind = of_wall != 0.0 && of_wall * beyond < 0.0;
    float depth = of_wall < 0.0 ? thickness : 0.0;
    return in_arc && is_behind && abs(beyond) > depth * length(b - a);
}
