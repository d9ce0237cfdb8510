#version 330
// Lines of the fur painter: dark at the root, and at the tip orange where the fur is dense, blue where it is
// thin.

in float v_along;
in float v_density;
out vec4 o_color;

void main() {
    vec3 tip = mix(vec3(0.1, 0.45, 1.0), vec3(1.0, 0.45, 0.0), v_density);
    o_color = vec4(tip * mix(0.25, 1.0, v_along), 1.0);
}
