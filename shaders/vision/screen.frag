#version 330
// A card over what a camera shows: darkens what the mask does not show, told from the picture's depth.
// Inputs: v_uv, over the picture; u_depth and u_size, the picture's depth and its pixels; mask.glsl's;
// rtstamp_dark: what is left of the light where nothing is seen, 0..1; the camera's matrices, as p3d_*.
// With COPY: u_color, the picture.
// Output: the factor that the picture is to be multiplied by; with COPY, the picture multiplied by it.

#ifndef COPY
#define COPY 0
#endif

#pragma include <rtstamp/vision/mask.glsl>

uniform sampler2D u_depth;
uniform vec2 u_size;
uniform float rtstamp_dark;
uniform mat4 p3d_ProjectionMatrixInverse;
uniform mat4 p3d_ViewMatrixInverse;
in vec2 v_uv;
out vec4 o_color;

#if COPY
uniform sampler2D u_color;
#endif

void main() {
    // Pixels, since the texture may be larger than the picture.
    ivec2 pixel = ivec2(v_uv * u_size);
    float depth = texelFetch(u_depth, pixel, 0).r;
    vec4 view = p3d_ProjectionMatrixInverse * vec4(2.0 * vec3(v_uv, depth) - 1.0, 1.0);
    vec2 world = (p3d_ViewMatrixInverse * vec4(view.xyz / view.w, 1.0)).xy;
    float seen = depth < 1.0 ? rtstamp_seen(world) : rtstamp_mask_beyond;
    o_color = vec4(vec3(mix(rtstamp_dark, 1.0, seen)), 1.0);
#if COPY
    o_color *= texelFetch(u_color, pixel, 0);
#endif
}
