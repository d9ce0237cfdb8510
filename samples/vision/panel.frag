#version 330
// The red channel of a texture, on the screen.

uniform sampler2D u_texture;
in vec2 v_uv;
out vec4 o_color;

void main() {
    o_color = vec4(vec3(texture(u_texture, v_uv).r), 1.0);
}
