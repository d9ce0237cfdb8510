#version 330
// Walls and doors, darker towards the ground. Inputs: place in the world and in view space, normal, colour.

#pragma include <rtstamp/common/lighting.glsl>

in vec3 v_world;
in vec3 v_position;
in vec3 v_normal;
in vec4 v_color;
out vec4 o_color;

void main() {
    vec3 albedo = v_color.rgb * mix(0.6, 1.0, smoothstep(0.0, 1.2, v_world.z));
    o_color = vec4(lit(albedo, v_position, normalize(v_normal)), v_color.a);
}
