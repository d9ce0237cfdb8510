#version 330
// The mask, blurred along one axis by a Gaussian; and what was explored shows through it.
// Inputs: u_mask; u_axis, (1, 0) or (0, 1); u_radius, in texels, where the Gaussian has fallen to e^-2;
// u_explored, what was ever seen, and u_places, what to multiply 0..1 over the mask by, and to add, to get
// there; u_level, how much of that shows. Output: all channels.

uniform sampler2D u_mask;
uniform ivec2 u_axis;
uniform float u_radius;
uniform sampler2D u_explored;
uniform vec4 u_places;
uniform float u_level;
out vec4 o_color;

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
    ivec2 last = textureSize(u_mask, 0) - 1;
    int reach = int(ceil(u_radius));
    float sum = 0.0;
    float weights = 0.0;
    for (int i = -reach; i <= reach; i++) {
        float at = float(i) / max(u_radius, 1.0);
        float weight = exp(-2.0 * at * at);
        sum += weight * texelFetch(u_mask, clamp(texel + i * u_axis, ivec2(0), last), 0).r;
        weights += weight;
    }
    vec2 place = (gl_FragCoord.xy / vec2(textureSize(u_mask, 0))) * u_places.xy + u_places.zw;
    bool is_known = all(greaterThanEqual(place, vec2(0.0))) && all(lessThan(place, vec2(1.0)));
    float explored = is_known ? texture(u_explored, place).r : 0.0;
    o_color = vec4(max(sum / weights, u_level * explored));
}
