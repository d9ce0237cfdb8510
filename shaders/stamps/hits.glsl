// The hits of one capture, in a buffer of five texels each:
//   (x, y, z, radius)  (r, g, b, opacity)  (hardness, facing softness, 1 if it has a normal, brush or -1)
//   (normal, half width of the brush / radius)  (the brush's right, half height / radius)
// Positions, radii and directions are in the world's units and axes, positions relative to the capture's
// origin.

uniform samplerBuffer u_hits;
uniform int u_hit_count;
// Pictures of brushes, premultiplied, one a layer.
uniform sampler2DArray u_brushes;

struct Hit {
    vec3 center;
    float radius;
    vec3 color;
    float opacity;
    float hardness;
    float softness;
    bool has_normal;
    float brush;
    vec3 normal;
    vec3 right;
    vec2 half_size;
};

Hit hit_at(int index) {
    vec4 sphere = texelFetch(u_hits, index * 5);
    vec4 paint = texelFetch(u_hits, index * 5 + 1);
    vec4 shape = texelFetch(u_hits, index * 5 + 2);
    // A plain hit has zeros in the other two.
    bool has_normal = shape.z > 0.5;
    vec4 normal = has_normal ? texelFetch(u_hits, index * 5 + 3) : vec4(0.0);
    vec4 right = has_normal ? texelFetch(u_hits, index * 5 + 4) : vec4(0.0);
    return Hit(sphere.xyz, sphere.w, paint.rgb, paint.a, shape.x, shape.y, has_normal, shape.w,
               normal.xyz, right.xyz, vec2(normal.w, right.w) * sphere.w);
}

// How much of a mark a surface keeps that is turned like this to the hit's normal.
float facing(Hit hit, vec3 surface_normal, bool two_sided) {
    float cosine = dot(surface_normal, hit.normal);
    cosine = two_sided ? abs(cosine) : cosine;
    return hit.softness > 0.0 ? clamp(cosine / hit.softness, 0.0, 1.0) : step(1e-6, cosine);
}

// The sphere: opacity * clamp((1 - distance / radius) / (1 - hardness), 0, 1), and the hit's colour.
vec4 sphere_mark(Hit hit, vec3 position) {
    float falloff = 1.0 - distance(position, hit.center) / hit.radius;
    float mask = hit.opacity * clamp(falloff / max(1.0 - hit.hardness, 1e-4), 0.0, 1.0);
    return vec4(hit.color, mask);
}

// The brush's picture, projected along the normal, no deeper than the radius; dx and dy are the position's
// derivatives.
vec4 brush_mark(Hit hit, vec3 position, vec3 dx, vec3 dy) {
    mat2x3 axes = mat2x3(hit.right, cross(hit.normal, hit.right));
    vec3 from_center = position - hit.center;
    vec2 at = from_center * axes / hit.half_size;
    vec4 texel = textureGrad(u_brushes, vec3(at * 0.5 + 0.5, hit.brush),
                             dx * axes * 0.5 / hit.half_size, dy * axes * 0.5 / hit.half_size);
    float depth = abs(dot(from_center, hit.normal)) / hit.radius;
    bool inside = max(abs(at.x), abs(at.y)) <= 1.0;
    // Fades out over the last quarter of the depth.
    float mask = inside ? texel.a * hit.opacity * clamp((1.0 - depth) * 4.0, 0.0, 1.0) : 0.0;
    return vec4(hit.color * texel.rgb / max(texel.a, 1e-4), mask);
}
