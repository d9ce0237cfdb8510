#version 330
// The mask: whether a segment is between the eye and this texel, which a rasterised edge says only to 1/256
// of a texel. Inputs: what shadow.vert hands on; u_eye; u_size; u_middle; u_texels, of the mask;
// u_thickness, of walls. Output: its depth.

#pragma include <rtstamp/vision/between.glsl>

uniform vec2 u_eye;
uniform vec2 u_size;
uniform vec2 u_middle;
uniform float u_texels;
uniform float u_thickness;
flat in vec4 v_ends;
out vec4 o_color;

void main() {
    vec2 point = (gl_FragCoord.xy / u_texels - 0.5) * u_size + u_middle - u_eye;
    if (!is_between(v_ends.xy, v_ends.zw, point, u_thickness)) {
        discard;
    }
    o_color = vec4(0.0);
}
