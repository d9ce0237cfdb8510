#version 330
// A screen in the world: the picture of a security camera, in lines, darker at the edges.

uniform sampler2D p3d_Texture0;
in vec2 v_uv;
out vec4 o_color;

const float LINES = 70.0;
const vec3 LUMINANCE = vec3(0.3, 0.6, 0.1);
const vec3 TINT = vec3(0.75, 1.0, 0.86);

void main() {
    vec3 color = texture(p3d_Texture0, v_uv).rgb;
    color = mix(color, vec3(dot(color, LUMINANCE)), 0.6) * TINT * 1.25;
    float along = v_uv.y * LINES;
    // From afar, lines would make other patterns with the pixels.
    float clear = 1.0 - smoothstep(0.2, 0.5, fwidth(along));
    float line = 0.9 + 0.1 * clear * sin(along * 6.2832);
    vec2 edge = v_uv * (1.0 - v_uv) * 4.0;
    o_color = vec4(color * line * pow(edge.x * edge.y, 0.2), 1.0);
}
