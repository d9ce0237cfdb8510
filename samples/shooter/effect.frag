#version 330
// A card of light, added to what is there: along the middle for a tracer, around it for others.
// u_kind: 0 tracer, 1 spark, 2 flash, 3 wave, 4 ball

uniform int u_kind;
in vec2 v_place;
in vec3 v_color;
out vec4 o_color;

void main() {
    float radius = length(v_place);
    float glow = pow(max(1.0 - radius, 0.0), 2.0);
    if (u_kind == 0) {
        // Brighter towards its end.
        glow = pow(1.0 - abs(v_place.x), 2.0) * smoothstep(-1.0, 1.0, v_place.y);
    } else if (u_kind == 3) {
        glow = smoothstep(0.55, 0.93, radius) * smoothstep(1.0, 0.96, radius);
    }
    vec3 white = vec3(glow * glow) * (u_kind == 3 ? 0.0 : 1.0);
    o_color = vec4((v_color + 0.6 * white * length(v_color)) * glow, 1.0);
}
