#version 330
// The marks of a model, drawn over it. Inputs: mark.glsl's, the lights and the fog.
// Output: what the blend of the look needs; a paint is premultiplied colour, a tint the factor, a glow what
// is added. LOOK: 0 paint, 1 tint, 2 glow.

#ifndef LOOK
#define LOOK 0
#endif

#pragma include <rtstamp/common/mark.glsl>
#pragma include <rtstamp/common/lighting.glsl>
#pragma include <rtstamp/stamps/cutout.glsl>

// 1: the fog goes by the Z of clip space, as Panda's shader generator has it.
uniform int u_fog_clip;
in float v_clip_z;
centroid in vec2 v_uv;
in vec3 v_position;
in vec3 v_normal;
out vec4 o_color;

vec3 unit_normal() {
    float size = length(v_normal);
    return size > 1e-6 ? v_normal / size : vec3(0.0);
}

void main() {
    vec4 mark = rtstamp_mark(v_uv) * cutout();
    // Most of a model is not marked. No look changes anything there: light and fog are not worked out for it.
    if (mark.a <= 0.0) {
        discard;
    }
    float clear = fog_clearness(u_fog_clip == 1 ? v_clip_z : abs(v_position.z));
#if LOOK == 0
    vec3 color = lit(mark.rgb * p3d_ColorScale.rgb, v_position, unit_normal());
    color = mix(p3d_Fog.color.rgb * mark.a, color, clear);
    o_color = vec4(color, mark.a);
#elif LOOK == 1
    o_color = vec4(rtstamp_tint(vec3(1.0), mark * clear), 1.0);
#else
    o_color = vec4(rtstamp_glow(vec3(0.0), mark * clear), 0.0);
#endif
}
