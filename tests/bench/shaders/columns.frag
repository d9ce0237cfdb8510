#version 330
// A mask from above of what an eye sees: each texel compared with the nearest wall in its direction.
// Inputs: u_columns, distances as shares of u_range, by direction; u_eye; u_bias, how far behind a wall is still
// seen; u_size, the world's part that the mask covers, around the origin; u_texels, of the mask.

uniform sampler2D u_columns;
uniform vec2 u_eye;
uniform float u_range;
uniform float u_bias;
uniform float u_size;
uniform float u_texels;
out vec4 o_color;

void main() {
    vec2 point = (gl_FragCoord.xy / u_texels - 0.5) * u_size - u_eye;
    float far = length(point) / u_range;
    int columns = textureSize(u_columns, 0).x;
    int column = int(floor((atan(point.x, point.y) / 6.283185307 + 0.5) * float(columns)));
    float wall = texelFetch(u_columns, ivec2(column % columns, 0), 0).r;
    o_color = vec4(far <= 1.0 && far - u_bias <= wall ? 1.0 : 0.0);
}
