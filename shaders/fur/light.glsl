// Panda's lights on strands: diffuse as on the skin, and the highlight of a thread, which is bright all
// around where the strand is square to the half vector (Kajiya and Kay 1989, in Scheuermann's form of 2004).
// Input: u_gloss, how narrow it is.

#pragma include <rtstamp/common/lighting.glsl>

uniform float u_gloss;

struct Light {
    vec3 diffuse;
    vec3 highlight;
};

Light light_on(vec3 position, vec3 normal, vec3 strand, vec3 to_eye) {
    Light light = Light(p3d_LightModel.ambient.rgb, vec3(0.0));
    for (int index = 0; index < 8; index++) {
        // Those that are not there are black.
        if (p3d_LightSource[index].color.rgb == vec3(0.0)) {
            continue;
        }
        vec4 source = p3d_LightSource[index].position;
        vec3 to_light = normalize(source.xyz - position * source.w + vec3(0.0, 0.0, 1e-9));
        vec3 incoming = light_from(index, position, to_light);
        float facing = dot(normal, to_light);
        light.diffuse += incoming * max(facing, 0.0);
        float along = dot(strand, normalize(to_light + to_eye));
        float glance = pow(sqrt(max(1.0 - along * along, 0.0)), u_gloss);
        light.highlight += incoming * glance * smoothstep(-0.2, 0.4, facing);
    }
    return light;
}
