// The marks on a surface, for any shader that draws the model. Works from GLSL 1.20 on.
// Inputs, which StampSystem sets:
//   rtstamp_temp      the accumulated marks: RGBA holds premultiplied colour and the mask, R the mask alone
//   rtstamp_primary   the last hits alone: straight colour, mask as (1 + 254 mask) / 255, 0 off the surface
//   rtstamp_fade      (share of Temp that was seen at the start, its decay a second, start in two parts)
//   rtstamp_clock     the time in two parts, whole blocks of 256 s and the rest, so that floats stay exact
//   rtstamp_live      0 once the marks are gone
//   rtstamp_color     (r, g, b, intensity); the colour is used by one-channel formats only
//   rtstamp_channels  1 or 4
// Functions:
//   vec4 rtstamp_mark(vec2 uv)  premultiplied colour and mask as seen now; uv: the column `rtstamp_uv`
//   vec3 rtstamp_paint, rtstamp_tint, rtstamp_glow(vec3 color, vec4 mark)  the colour with the mark on it

uniform sampler2D rtstamp_temp;
uniform sampler2D rtstamp_primary;
uniform vec4 rtstamp_fade;
uniform vec2 rtstamp_clock;
uniform float rtstamp_live;
uniform vec4 rtstamp_color;
uniform float rtstamp_channels;

float rtstamp_visible_share() {
    vec2 elapsed = rtstamp_clock - rtstamp_fade.zw;
    return rtstamp_live * rtstamp_fade.x * exp(-rtstamp_fade.y * max(elapsed.x + elapsed.y, 0.0));
}

#if __VERSION__ >= 130
// From afar a pixel covers many texels, and a sample of one of them would flicker. There are no mip maps,
// which cost more than marks do and would mix in what lies beside a seam: four samples are taken, as far
// apart as the two texels that are filled beyond each seam allow.
vec4 rtstamp_stored(vec2 uv) {
    vec2 size = vec2(textureSize(rtstamp_temp, 0));
    vec2 dx = dFdx(uv) * size;
    vec2 dy = dFdy(uv) * size;
    if (max(dot(dx, dx), dot(dy, dy)) <= 36.0) {
        return texture(rtstamp_temp, uv);
    }
    vec2 one = clamp(0.25 * (dx + dy), -1.5, 1.5) / size;
    vec2 two = clamp(0.25 * (dx - dy), -1.5, 1.5) / size;
    return 0.25 * (texture(rtstamp_temp, uv + one) + texture(rtstamp_temp, uv - one)
                 + texture(rtstamp_temp, uv + two) + texture(rtstamp_temp, uv - two));
}
#else
vec4 rtstamp_stored(vec2 uv) {
    return texture2D(rtstamp_temp, uv);
}
#endif

vec4 rtstamp_mark(vec2 uv) {
    vec4 stored = rtstamp_stored(uv);
    // Repeated UVs lie outside the one tile that marks are made on. A hair beyond the edge is rounding.
    vec2 from_center = abs(uv - 0.5);
    float inside = step(max(from_center.x, from_center.y), 0.5001);
    vec4 mark = stored * (inside * rtstamp_visible_share());
    if (rtstamp_channels < 2.0) {
        mark = vec4(rtstamp_color.rgb * mark.r, mark.r);
    }
    float mask = clamp(mark.a * rtstamp_color.a, 0.0, 1.0);
    return vec4(mark.rgb * (mask / max(mark.a, 1e-6)), mask);
}

vec3 rtstamp_paint(vec3 color, vec4 mark) {
    return color * (1.0 - mark.a) + mark.rgb;
}

vec3 rtstamp_tint(vec3 color, vec4 mark) {
    return color * (1.0 - mark.a + mark.rgb);
}

vec3 rtstamp_glow(vec3 color, vec4 mark) {
    return color + mark.rgb;
}
