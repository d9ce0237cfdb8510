#version 330
// The ends of walls: each end of a segment as a quad over its column, in one viewer's row.
// Inputs: segments.glsl; u_row, (the row, how many there are, how many columns).
// Outputs: v_ends, the end and the other one, relative to the eye; the depth, of which the greatest is the
// nearest.

#pragma include <rtstamp/vision/segments.glsl>
#pragma include <rtstamp/vision/direction.glsl>

uniform vec3 u_row;
flat out vec4 v_ends;

// The share of the segment after which its distance is taken: of two that share an end, the one before the
// other counts.
const float ASIDE = 0.001;

void main() {
    vec4 ends = segment - u_eye.xyxy;
    v_ends = p3d_Vertex.z > 0.5 ? ends.zwxy : ends;
    float near = length(mix(v_ends.xy, v_ends.zw, ASIDE)) / u_range;
    float column = mod(floor(direction(v_ends.xy) * u_row.z), u_row.z);
    float at = (column + p3d_Vertex.x) / u_row.z;
    float up = (u_row.x + (p3d_Vertex.y < 0.0 ? 0.0 : 1.0)) / u_row.y;
    gl_Position = vec4(at * 2.0 - 1.0, up * 2.0 - 1.0, 1.0 - 2.0 * near, 1.0);
}
