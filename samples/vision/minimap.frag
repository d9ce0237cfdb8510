#version 330
// The minimap: the walls of what was seen, and what is seen now, and by the guards of that.
// Inputs: u_plan, red: a wall; u_mask, u_explored, u_guards: 1 is seen; u_share of them that the plan covers.

uniform sampler2D u_plan;
uniform sampler2D u_mask;
uniform sampler2D u_explored;
uniform sampler2D u_guards;
uniform vec2 u_share;
in vec2 v_uv;
out vec4 o_color;

void main() {
    vec2 uv = (v_uv - 0.5) * u_share + 0.5;
    float wall = step(0.5, texture(u_plan, v_uv).r);
    float seen = smoothstep(0.4, 1.0, texture(u_mask, uv).r);
    float known = max(texture(u_explored, uv).r, seen);
    vec3 color = mix(vec3(0.16, 0.19, 0.23), vec3(0.44, 0.47, 0.46), seen);
    color = mix(color, vec3(1.0, 0.45, 0.15), 0.6 * seen * texture(u_guards, uv).r);
    color = mix(vec3(0.04, 0.05, 0.07), color, known);
    o_color = vec4(mix(color, vec3(0.78, 0.72, 0.60), wall * (0.25 + 0.75 * known)), 1.0);
}
