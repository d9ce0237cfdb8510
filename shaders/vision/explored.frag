#version 330
// What was ever seen: of the mask, the texel that this one's middle lies in.
// Inputs: v_uv, over what is remembered; u_mask; u_places, what to multiply that by, and to add, to get to
// 0..1 over the mask. Output: all channels.

uniform sampler2D u_mask;
uniform vec4 u_places;
in vec2 v_uv;
out vec4 o_color;

void main() {
    vec2 place = v_uv * u_places.xy + u_places.zw;
    bool is_known = all(greaterThanEqual(place, vec2(0.0))) && all(lessThan(place, vec2(1.0)));
    ivec2 texel = ivec2(place * vec2(textureSize(u_mask, 0)));
    o_color = vec4(is_known ? texelFetch(u_mask, texel, 0).r : 0.0);
}
