#version 330
// One layer of a coat, drawn over those below it. Inputs: shell.vert's outputs; the model's texture;
// u_color, u_root_darkening and u_highlight as FurConfig has them; u_albedo, of the model's material;
// u_skin_alpha, 1 where the alpha of its texture and vertices counts; u_least_alpha, of what is drawn at the
// tip; u_one_sided, 1 where only front faces are drawn; with MARKED those of mark.glsl; u_cut, how much of a
// strand's length a full mark takes, and u_burn, how much it blackens the tip.
// Output: premultiplied colour.

#pragma include <rtstamp/fur/strands.glsl>
#pragma include <rtstamp/common/lighting.glsl>
#ifdef MARKED
#pragma include <rtstamp/common/mark.glsl>

uniform float u_cut;
uniform float u_burn;
in vec2 v_mark;
#endif

uniform sampler2D p3d_Texture0;
uniform vec4 p3d_ColorScale;
uniform vec4 u_albedo;
uniform int u_skin_alpha;
uniform vec4 u_color;
uniform float u_least_alpha;
uniform float u_root_darkening;
uniform float u_highlight;
uniform int u_one_sided;
flat in int v_in_shadow_map;
flat in vec2 v_slab;
in vec4 v_color;
in vec3 v_light;
in vec3 v_highlight;
in float v_view;
in float v_distance;
in float v_shortness;
#ifdef COMBED
in float v_density;
#endif
in vec2 v_texcoord;
out vec4 o_color;

// How much longer than straight through it a ray is in a layer, and so how many more strands it meets. At
// grazing angles this closes the gaps between layers.
float spread() {
    return 1.0 / clamp(abs(v_view), 0.25, 1.0);
}

// The height that stands for the layer: the middle of its slab, seen straight from above. From the side its
// own outline shows, as that of one of DENSE thin layers.
float middle() {
    float thicker = max(v_slab.y - 1.0 / DENSE, 0.0);
    return v_slab.x + 0.5 * thicker * (1.0 - v_view * v_view);
}

void main() {
    // No light is to see more than the skin. Its camera draws what faces away: else a lamp at the eye, with a
    // lens like the camera's, would be taken for it.
    if (v_in_shadow_map == 1 && (u_one_sided == 0 || !gl_FrontFacing)) {
        discard;
    }
    float left = 1.0;
    float burnt = 0.0;
#ifdef MARKED
    float mark = rtstamp_mark(v_mark).a;
    left = max(1.0 - u_cut * mark, 1e-4);
    burnt = u_burn * mark;
#endif
    float along = middle() / left;
    float covered = strands_at(along) * v_shortness;
#ifdef COMBED
    covered *= strands_left(v_density);
#endif
    float alpha = 1.0 - pow(max(1.0 - covered, 0.0), v_slab.y * DENSE * spread());
    vec4 skin = texture(p3d_Texture0, v_texcoord) * v_color;
    vec4 albedo = u_albedo * u_color * p3d_ColorScale * vec4(skin.rgb, u_skin_alpha == 1 ? skin.a : 1.0);
    alpha *= albedo.a;
    // What is thin is left out at the tips alone: near the skin, it hides nothing but that. Of many layers,
    // each one is thinner.
    float least = u_least_alpha * along * min(v_slab.y * DENSE, 1.0);
    if (along >= 1.0 || alpha < max(least, 1.0 / 512.0)) {
        discard;
    }
    vec3 color = albedo.rgb * v_light + u_highlight * along * v_highlight;
    color *= mix(1.0 - u_root_darkening, 1.0, along) * (1.0 - burnt * along);
    color = mix(p3d_Fog.color.rgb, color, fog_clearness(v_distance));
    o_color = vec4(min(color, 1.0) * alpha, alpha);
}
