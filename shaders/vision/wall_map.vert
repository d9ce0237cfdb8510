#version 330
// The wall map: each segment as a quad over the columns that it may be seen in, in one viewer's row.
// Inputs: segments.glsl; u_row, (the row, how many there are, how many columns).
// Outputs: v_ends, the ends relative to the eye; v_number, the segment's number, from 1 on.

#pragma include <rtstamp/vision/segments.glsl>
#pragma include <rtstamp/vision/direction.glsl>

uniform vec3 u_row;
flat out vec4 v_ends;
flat out float v_number;

void main() {
    vec2 a = segment.xy - u_eye;
    vec2 b = segment.zw - u_eye;
    v_ends = vec4(a, b);
    v_number = float(gl_VertexID / 8 + 1);
    float low = min(direction(a), direction(b));
    float high = max(direction(a), direction(b));
    bool second_part = p3d_Vertex.z > 0.5;
    bool across_seam = high - low > 0.5;
    // Across the seam the wall is what lies outside of both directions: one part at each end of the row.
    vec2 arc = across_seam ? (second_part ? vec2(high, 1.0) : vec2(0.0, low)) : vec2(low, high);
    bool nothing = (second_part && !across_seam) || out_of_range(a, b);
    // A column more on each side: which centres are in the arc is for the fragment shader to say, exactly.
    float at = p3d_Vertex.x < 0.5 ? arc.x - 1.0 / u_row.z : arc.y + 1.0 / u_row.z;
    float up = (u_row.x + (p3d_Vertex.y < 0.0 ? 0.0 : 1.0)) / u_row.y;
    gl_Position = nothing ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(at * 2.0 - 1.0, up * 2.0 - 1.0, 0.0, 1.0);
}
