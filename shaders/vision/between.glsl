// Whether a wall is between an eye and a point, all relative to the eye.

float cross2(vec2 first, vec2 second) {
    return first.x * second.y - first.y * second.x;
}

// Signs and no quotients: two walls that share a corner give the same answers there.
bool is_between(vec2 a, vec2 b, vec2 point) {
    float from_a = cross2(point, a);
    float from_b = cross2(point, b);
    float of_wall = cross2(a, b);
    // Beyond the wall's line, as seen from the eye.
    float beyond = from_a - from_b + of_wall;
    bool in_arc = from_a * from_b <= 0.0 && from_a != from_b;
    return in_arc && of_wall != 0.0 && of_wall * beyond < 0.0;
}
