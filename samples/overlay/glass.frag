#version 330
// A mirror: the picture, with left and right exchanged, through glass of a slight colour.

uniform sampler2D p3d_Texture0;
in vec2 v_uv;
out vec4 o_color;

const vec3 TINT = vec3(0.88, 0.94, 0.93);

void main() {
    o_color = vec4(texture(p3d_Texture0, vec2(1.0 - v_uv.x, v_uv.y)).rgb * TINT, 1.0);
}
