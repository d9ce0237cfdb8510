// The hits of one capture, in a buffer of three texels each:
//   (x, y, z, radius)  (r, g, b, opacity)  (hardness, 0, 0, 0)
// Positions and radii are in the world's units and axes, relative to the capture's origin.

uniform samplerBuffer u_hits;
uniform int u_hit_count;

struct Hit {
    vec3 center;
    float radius;
    vec3 color;
    float opacity;
    float hardness;
};

Hit hit_at(int index) {
    vec4 sphere = texelFetch(u_hits, index * 3);
    vec4 paint = texelFetch(u_hits, index * 3 + 1);
    float hardness = texelFetch(u_hits, index * 3 + 2).x;
    return Hit(sphere.xyz, sphere.w, paint.rgb, paint.a, hardness);
}

// opacity * clamp((1 - distance / radius) / (1 - hardness), 0, 1)
float hit_mask(Hit hit, vec3 position) {
    float falloff = 1.0 - distance(position, hit.center) / hit.radius;
    return hit.opacity * clamp(falloff / max(1.0 - hit.hardness, 1e-4), 0.0, 1.0);
}
