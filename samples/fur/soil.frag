#version 330
// The lawn without its grass: dark, as grass is at the root.

#pragma include <rtstamp/common/lighting.glsl>

uniform sampler2D p3d_Texture0;
in vec3 v_position;
in vec3 v_normal;
in vec4 v_color;
in vec2 v_uv;
out vec4 o_color;

void main() {
    vec3 albedo = 0.5 * v_color.rgb * texture(p3d_Texture0, v_uv).rgb;
    o_color = vec4(lit(albedo, v_position, normalize(v_normal)), 1.0);
}
