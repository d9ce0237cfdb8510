#version 330
// Masks every hit of this frame onto the unfolded surface, one after another.
// Inputs: what unwrap.vert hands on, the hits (hits.glsl), and u_blend, how a hit meets those before it:
// 0 over, 1 add, 2 max, 3 erase.
// Output: colour, and the mask encoded as primary.glsl says; one-channel targets get the mask in red.
// The colour is straight, not premultiplied: 8 bits then hold it exactly however faint the mask is.
// CHANNELS: 1 or 4. BRUSHES: 1 if a hit may have a brush: to look at its picture costs more than all the
// rest.

#ifndef CHANNELS
#define CHANNELS 4
#endif
#ifndef BRUSHES
#define BRUSHES 1
#endif

#pragma include <rtstamp/stamps/hits.glsl>
#pragma include <rtstamp/stamps/primary.glsl>

uniform int u_blend;
in vec3 v_position;
in vec3 v_normal;
in vec2 v_uv;
in float v_two_sided;
in float v_handedness;
out vec4 o_color;

// The model's own normals; or, where it has none, across the triangle, by its winding.
vec3 surface_normal(vec3 dx, vec3 dy) {
    vec3 normal = v_normal;
    if (dot(normal, normal) == 0.0) {
        // Atlases keep the winding; in other layouts some triangles are mirrored.
        normal = cross(dx, dy) * (gl_FrontFacing ? 1.0 : -1.0) * sign(v_handedness);
    }
    return normal * inversesqrt(max(dot(normal, normal), 1e-36));
}

// Marks are premultiplied while they are combined.
vec4 combine(vec4 before, vec4 mark) {
    if (u_blend == 1) {
        return min(before + vec4(mark.rgb, 1.0) * mark.a, 1.0);
    } else if (u_blend == 2) {
        return max(before, vec4(mark.rgb, 1.0) * mark.a);
    }
    // To erase twice is to keep what both keep: the masks combine as those of covering marks do.
    return before * (1.0 - mark.a) + vec4(mark.rgb, 1.0) * mark.a;
}

void main() {
    vec3 dx = dFdx(v_position);
    vec3 dy = dFdy(v_position);
    vec3 normal = surface_normal(dx, dy);
    vec4 marks = vec4(0.0);
    for (int i = 0; i < u_hit_count; i++) {
        Hit hit = hit_at(i);
#if BRUSHES
        vec4 mark = hit.brush < 0.0 ? sphere_mark(hit, v_position) : brush_mark(hit, v_position, dx, dy);
#else
        vec4 mark = sphere_mark(hit, v_position);
#endif
        mark.a *= hit.has_normal ? facing(hit, normal, v_two_sided > 0.5) : 1.0;
        marks = combine(marks, mark);
    }
    float stored = encode_mask(marks.a);
    o_color = CHANNELS == 1 ? vec4(stored) : vec4(marks.rgb / max(marks.a, 1e-6), stored);
}
