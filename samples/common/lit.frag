#version 330
// A model in the studio: Panda's lights per pixel, with highlights and a bright rim.

#pragma include <rtstamp/common/lighting.glsl>

uniform sampler2D p3d_Texture0;
in vec3 v_position;
in vec3 v_normal;
in vec4 v_color;
in vec2 v_uv;
out vec4 o_color;

vec3 highlights(vec3 normal, vec3 to_eye) {
    vec3 sum = vec3(0.0);
    for (int index = 0; index < 3; index++) {
        vec3 half_way = normalize(p3d_LightSource[index].position.xyz + to_eye);
        sum += p3d_LightSource[index].color.rgb * pow(max(dot(normal, half_way), 0.0), 60.0);
    }
    return sum;
}

void main() {
    vec3 normal = normalize(v_normal);
    vec3 to_eye = normalize(-v_position);
    vec4 albedo = v_color * texture(p3d_Texture0, v_uv);
    float rim = pow(1.0 - max(dot(normal, to_eye), 0.0), 4.0);
    vec3 color = lit(albedo.rgb, v_position, normal);
    o_color = vec4(color + 0.2 * highlights(normal, to_eye) + 0.1 * rim, albedo.a);
}
