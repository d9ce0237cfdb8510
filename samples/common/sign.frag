#version 330
// Text in the studio.

uniform sampler2D p3d_Texture0;
in vec2 v_uv;
out vec4 o_color;

void main() {
    o_color = texture(p3d_Texture0, v_uv);
}
