#version 330
// Somebody on the map: a dot with a dark edge.

uniform vec4 u_color;
in vec2 v_uv;
out vec4 o_color;

void main() {
    float away = length(v_uv - 0.5) * 2.0;
    if (away > 1.0) {
        discard;
    }
    o_color = vec4(away < 0.75 ? u_color.rgb : vec3(0.0), 1.0);
}
