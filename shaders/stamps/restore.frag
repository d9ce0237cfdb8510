#version 330
// Brings texels that were saved back into Temp. Input: u_stored, of Temp's size. Output: its texels.

uniform sampler2D u_stored;
out vec4 o_color;

void main() {
    o_color = texelFetch(u_stored, ivec2(gl_FragCoord.xy), 0);
}
