#version 330
// What has no shader, as Panda draws it in a core profile: with its first texture, by nobody's light.
// Inputs: the texture; p3d_TexAlphaOnly, white for a texture that is alpha alone.

uniform sampler2D p3d_Texture0;
uniform vec4 p3d_TexAlphaOnly;
in vec3 v_texcoord;
in vec4 v_color;
out vec4 o_color;

void main() {
    o_color = (textureProj(p3d_Texture0, v_texcoord) + p3d_TexAlphaOnly) * v_color;
}
