#version 330
// The same wall with projected decals on it, one texture stage each.
// Inputs: v_normal; v_world; u_count and u_alpha, how many decals there are and how visible each is; the stages'
// matrices, which TexProjector sets, from the world to the decal's picture. All stages have the same picture.

uniform sampler2D p3d_Texture0;
uniform mat4 p3d_TextureMatrix[32];
uniform float u_alpha[32];
uniform int u_count;
in vec3 v_normal;
in vec4 v_world;
out vec4 o_color;

void main() {
    vec3 color = vec3(0.7);
    for (int i = 0; i < u_count; i++) {
        vec4 place = p3d_TextureMatrix[i] * v_world;
        vec4 decal = texture(p3d_Texture0, place.xy / place.w);
        color = mix(color, decal.rgb, decal.a * u_alpha[i]);
    }
    o_color = vec4(color * max(normalize(v_normal).z, 0.0), 1.0);
}
