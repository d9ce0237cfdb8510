#version 330
// What the guards see, on the ground: amber, or red when they see the hero.
// Inputs: the mask of the guards; u_alarm, 0..1.

#pragma include <rtstamp/vision/mask.glsl>

uniform float u_alarm;
in vec3 v_world;
out vec4 o_color;

void main() {
    vec3 color = mix(vec3(1.0, 0.70, 0.20), vec3(1.0, 0.12, 0.08), u_alarm);
    o_color = vec4(color, 0.38 * rtstamp_seen(v_world.xy));
}
