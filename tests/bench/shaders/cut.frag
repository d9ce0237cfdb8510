#version 330
// A decal on geometry of its own. Inputs: v_normal; v_uv; the decal's picture; the colour scale, whose alpha fades.

uniform sampler2D p3d_Texture0;
uniform vec4 p3d_ColorScale;
in vec2 v_uv;
in vec3 v_normal;
out vec4 o_color;

void main() {
    vec4 decal = texture(p3d_Texture0, v_uv);
    o_color = vec4(decal.rgb * max(normalize(v_normal).z, 0.0), decal.a * p3d_ColorScale.a);
}
