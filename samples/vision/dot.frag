#version 330
// Somebody on the minimap: a disc.

uniform vec4 u_color;
in vec2 v_uv;
out vec4 o_color;

void main() {
    if (length(v_uv - 0.5) > 0.5) {
        discard;
    }
    o_color = u_color;
}
