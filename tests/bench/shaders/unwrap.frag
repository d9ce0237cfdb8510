#version 330
// A sphere's mark. Inputs: v_position; u_hit, its middle and radius; u_color; u_hardness.
// Output: premultiplied colour and mask.

uniform vec4 u_hit;
uniform vec3 u_color;
uniform float u_hardness;
in vec3 v_position;
out vec4 o_color;

void main() {
    float reach = 1.0 - distance(v_position, u_hit.xyz) / u_hit.w;
    float mask = clamp(reach / (1.0 - u_hardness), 0.0, 1.0);
    o_color = vec4(u_color * mask, mask);
}
