#version 330
// The studio's floor: tiles, bright in the middle, that end in the background's colour.

uniform vec3 u_background;
uniform float u_radius;
in vec3 v_world;
out vec4 o_color;

// 0 and 1 in turns along x, with edges one pixel wide.
float stripes(float x) {
    float width = max(fwidth(x), 1e-4);
    float wave = abs(fract(x * 0.5) - 0.5) * 2.0;
    return clamp((wave - 0.5) / width + 0.5, 0.0, 1.0);
}

void main() {
    float x = stripes(v_world.x);
    float y = stripes(v_world.y);
    float tile = mix(x, 1.0 - x, y);
    float clear = 1.0 - smoothstep(0.1, 1.0, length(v_world.xy) / u_radius);
    vec3 color = mix(vec3(0.22, 0.31, 0.37), vec3(0.47, 0.56, 0.60), tile);
    o_color = vec4(mix(u_background, color, clear), 1.0);
}
