// Walls, as segments on the ground: x and y of both ends, relative to an origin near the mask, world's units.
// Each has eight vertices: p3d_Vertex is (which end, which side, which part, 1).

in vec4 p3d_Vertex;
in vec4 segment;
uniform vec2 u_eye;  // relative to the same origin
uniform float u_range;

#pragma include <rtstamp/vision/cross2.glsl>

// True if no point of the segment from a to b, relative to the eye, is in range.
bool out_of_range(vec2 a, vec2 b) {
    vec2 along = b - a;
    float share = clamp(-dot(a, along) / max(dot(along, along), 1e-30), 0.0, 1.0);
    return length(a + share * along) > u_range;
}
