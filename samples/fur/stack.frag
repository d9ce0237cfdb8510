#version 330
// One layer of the plain way: a strand in each cell of space, cut off at a height of its own.

#pragma include <rtstamp/common/lighting.glsl>

uniform float u_height;
uniform float u_strands;
in vec3 v_position;
in vec3 v_normal;
in vec4 v_color;
in vec3 v_place;
out vec4 o_color;

float random(vec3 cell) {
    return fract(sin(dot(cell, vec3(12.9898, 78.233, 37.719))) * 43758.5453);
}

void main() {
    vec3 cell = floor(v_place * u_strands);
    if (random(cell) < u_height) {
        discard;
    }
    o_color = vec4(lit(v_color.rgb, v_position, normalize(v_normal)) * mix(0.45, 1.0, u_height), 1.0);
}
