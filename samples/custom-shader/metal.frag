#version 330
// Steel that glows where it was hit: a mark is a dent, scorched, and as hot as its mask; as it fades it cools.

#pragma include <rtstamp/common/mark.glsl>
#pragma include <rtstamp/common/lighting.glsl>

in vec3 v_position;
in vec3 v_normal;
centroid in vec2 v_mark_uv;
out vec4 o_color;

const vec3 STEEL = vec3(0.50, 0.52, 0.55);
const float DEPTH = 0.06;

// The normal, tilted by the slope of a height over the surface.
vec3 dented(vec3 normal, float height) {
    vec3 along_x = dFdx(v_position);
    vec3 along_y = dFdy(v_position);
    vec3 across_x = cross(along_y, normal);
    vec3 across_y = cross(normal, along_x);
    float area = dot(along_x, across_x);
    vec3 slope = sign(area) * (dFdx(height) * across_x + dFdy(height) * across_y);
    return normalize(abs(area) * normal - slope);
}

// The colour of metal between cold (0) and white hot (1).
vec3 heat(float temperature) {
    vec3 ember = vec3(0.9, 0.08, 0.01) * smoothstep(0.03, 0.3, temperature);
    vec3 orange = vec3(0.5, 0.45, 0.05) * smoothstep(0.25, 0.6, temperature);
    vec3 white = vec3(0.3, 0.6, 0.6) * smoothstep(0.55, 1.0, temperature);
    return ember + orange + white;
}

// A studio to be reflected: a dark floor, a bright ceiling, and the lights.
vec3 reflection(vec3 normal, vec3 to_eye) {
    vec3 ray = reflect(-to_eye, normal);
    vec3 color = mix(vec3(0.10, 0.13, 0.16), vec3(0.80, 0.86, 0.94), smoothstep(-0.05, 0.6, ray.y));
    for (int index = 0; index < 3; index++) {
        float facing = max(dot(ray, p3d_LightSource[index].position.xyz), 0.0);
        color += p3d_LightSource[index].color.rgb * (0.25 * pow(facing, 8.0) + pow(facing, 120.0));
    }
    return color;
}

void main() {
    float mask = rtstamp_mark(v_mark_uv).a;
    vec3 normal = dented(normalize(v_normal), -DEPTH * mask);
    vec3 to_eye = normalize(-v_position);
    vec3 color = lit(STEEL, v_position, normal) * 0.35 + STEEL * reflection(normal, to_eye);
    float scorch = smoothstep(0.0, 0.35, mask);
    o_color = vec4(color * (1.0 - 0.85 * scorch) + heat(mask), 1.0);
}
