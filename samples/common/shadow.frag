#version 330
// Soft shadows on the floor, laid over it after the marks: a blurred look at what the light sees.

uniform sampler2D u_silhouettes;
uniform mat4 u_world_to_light;
uniform float u_radius;
in vec3 v_world;
out vec4 o_color;

const int TAPS = 48;
const float SOFTNESS = 0.018;

void main() {
    vec2 center = (u_world_to_light * vec4(v_world, 1.0)).xy * 0.5 + 0.5;
    float shade = 0.0;
    for (int tap = 0; tap < TAPS; tap++) {
        // A spiral of even density.
        float angle = float(tap) * 2.39996;
        float reach = SOFTNESS * sqrt((float(tap) + 0.5) / float(TAPS));
        shade += texture(u_silhouettes, center + reach * vec2(cos(angle), sin(angle))).r;
    }
    shade /= float(TAPS);
    float clear = 1.0 - smoothstep(0.4, 1.0, length(v_world.xy) / u_radius);
    o_color = vec4(0.02, 0.03, 0.05, 0.75 * shade * clear);
}
