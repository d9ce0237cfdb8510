#version 330
// Text in the studio: the letters' colour where their texture has them.

uniform sampler2D p3d_Texture0;
in vec4 v_color;
in vec2 v_uv;
out vec4 o_color;

void main() {
    o_color = vec4(v_color.rgb, v_color.a * texture(p3d_Texture0, v_uv).a);
}
