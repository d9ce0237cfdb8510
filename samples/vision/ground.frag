#version 330
// The ground: boards in houses and stones outside, darker beside walls. VisionMask.dim does the rest.
// Inputs: u_plan, a texel each square metre, red: a wall, green: in a house; u_plan_size, in metres.

#pragma include <rtstamp/common/lighting.glsl>

uniform sampler2D u_plan;
uniform vec2 u_plan_size;
in vec3 v_world;
in vec3 v_position;
in vec3 v_normal;
out vec4 o_color;

float noise(vec2 cell) {
    return fract(sin(dot(cell, vec2(12.9898, 78.233))) * 43758.5453);
}

// Bricks of a size, each of its own shade, with dark gaps.
float bricks(vec2 place, vec2 size) {
    float row = floor(place.y / size.y);
    vec2 at = vec2(place.x / size.x + noise(vec2(row, 3.0)), place.y / size.y);
    vec2 edge = (0.5 - abs(fract(at) - 0.5)) * size;
    float gap = min(edge.x, edge.y);
    float width = fwidth(place.y);
    return mix(0.80, 1.05, noise(floor(at))) * mix(0.65, 1.0, smoothstep(0.0, 0.02 + width, gap));
}

void main() {
    vec2 uv = v_world.xy / u_plan_size + 0.5;
    float in_house = texelFetch(u_plan, ivec2(uv * u_plan_size), 0).g;
    vec3 stones = vec3(0.44, 0.48, 0.50) * bricks(v_world.xy, vec2(0.62, 0.42));
    vec3 boards = vec3(0.62, 0.46, 0.31) * bricks(v_world.xy, vec2(2.30, 0.26));
    vec3 albedo = mix(stones, boards, step(0.5, in_house));
    // Between texels the plan goes over from wall to ground, which is what corners need.
    albedo *= 1.0 - 0.6 * smoothstep(0.0, 0.6, texture(u_plan, uv).r);
    o_color = vec4(lit(albedo, v_position, normalize(v_normal)), 1.0);
}
