#version 330
// The same wall with marks on it: the shader of a game that reads its marks' texture itself.
// Inputs: v_normal; v_uv; u_marks, premultiplied colour and mask.

uniform sampler2D u_marks;
in vec2 v_uv;
in vec3 v_normal;
out vec4 o_color;

void main() {
    vec4 mark = texture(u_marks, v_uv);
    vec3 color = mix(vec3(0.7), vec3(0.0), mark.a) + mark.rgb;
    o_color = vec4(color * max(normalize(v_normal).z, 0.0), 1.0);
}
