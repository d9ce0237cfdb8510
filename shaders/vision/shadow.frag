#version 330
// The mask: whether a segment is between the eye and this texel, which a rasterised edge says only to 1/256 of
// a texel. Inputs: what shadow.vert hands on; u_eye; u_size; u_texels, of the mask. Output: its depth.

#pragma include <rtstamp/vision/between.glsl>

uniform vec2 u_eye;
uniform vec2 u_size;
uniform float u_texels;
flat in vec4 v_ends;
out vec4 o_color;

void main() {
    vec2 point = (gl_FragCoord.xy / u_texels - 0.5) * u_size - u_eye;
    if (!is_between(v_ends.xy, v_ends.zw, point)) {
        discard;
    }
    o_color = vec4(0.0);
}
