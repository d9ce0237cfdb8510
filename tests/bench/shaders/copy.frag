#version 330
// Texel for texel what is in another target of the same size. Input: u_source.

uniform sampler2D u_source;
out vec4 o_color;

void main() {
    o_color = texelFetch(u_source, ivec2(gl_FragCoord.xy), 0);
}
