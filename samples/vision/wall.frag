#version 330
// Walls and doors. They look up the mask beside them, not where they are: a wall's own faces lie on the edge
// of its shadow, where each texel of the mask is seen or hidden by chance.
// Inputs: the mask's; u_dark, what is left of the light where nothing is seen.

#pragma include <rtstamp/vision/mask.glsl>
#pragma include <rtstamp/common/lighting.glsl>

uniform float u_dark;
in vec3 v_world;
in vec3 v_world_normal;
in vec3 v_position;
in vec3 v_normal;
in vec4 v_color;
out vec4 o_color;

const float IN_FRONT = 0.3;  // metres; more than the mask is blurred
const float ACROSS = 0.85;  // from anywhere on top of a wall to beside it
const int TAPS = 16;
const float UNSEEN_TOP = 0.3;  // of what tops are at least: they show the town's plan

// A face is as light as the ground in front of it, and the top as the lightest ground around, or lighter.
float seen_beside() {
    if (abs(v_world_normal.z) < 0.5) {
        return rtstamp_seen(v_world.xy + IN_FRONT * normalize(v_world_normal.xy));
    }
    float seen = UNSEEN_TOP;
    for (int tap = 0; tap < TAPS; tap++) {
        float angle = 6.2832 * float(tap) / float(TAPS);
        seen = max(seen, rtstamp_seen(v_world.xy + ACROSS * vec2(cos(angle), sin(angle))));
    }
    return seen;
}

void main() {
    vec3 albedo = v_color.rgb * mix(0.6, 1.0, smoothstep(0.0, 1.2, v_world.z));
    vec3 color = lit(albedo, v_position, normalize(v_normal));
    o_color = vec4(color * mix(u_dark, 1.0, seen_beside()), v_color.a);
}
