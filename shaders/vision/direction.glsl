// Directions around an eye, as maps of walls have them across.

const float PI = 3.14159265358979;

// 0..1: +Y is 0.5, +X 0.75.
float direction(vec2 to) {
    return atan(to.x, to.y) / (2.0 * PI) + 0.5;
}
