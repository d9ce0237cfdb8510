#version 330
// Anything in the arena, at dusk: sun with shadows, sky, lamps, the flash of guns, and marks as burns.
// Light is added up in linear colour (a square root away from the screen's).

#pragma include <rtstamp/common/mark.glsl>

uniform struct {
    vec4 color;
    vec4 position;
    vec3 attenuation;
    sampler2DShadow shadowMap;
    mat4 shadowViewMatrix;
} p3d_LightSource[2];  // the sun, the flash
uniform mat4 p3d_ViewMatrix;
uniform sampler2D p3d_Texture0;
uniform sampler2D u_ground;
uniform float u_ground_size;
uniform float u_emission;
uniform float u_shadows;
in vec3 v_world;
in vec3 v_position;
in vec3 v_normal;
in vec3 v_color;
in vec2 v_uv;
centroid in vec2 v_mark_uv;
out vec4 o_color;

const vec3 LUMINANCE = vec3(0.3, 0.6, 0.1);
const vec3 SKY_ABOVE = vec3(0.16, 0.23, 0.36);
const vec3 SKY_BELOW = vec3(0.07, 0.06, 0.06);
const float SUN = 1.7;
const float FLASH = 5.0;
const float LAMPS = 4.0;
const float RELIEF = 0.012;  // metres between black and white
const float STEEPEST = 1.0;
const float HEAT = 2.4;

// The normal, tilted by the slope of a height over the surface (Mikkelsen, Bump Mapping Unparametrized Surfaces
// on the GPU, 2010). `slope`: how the height changes from one pixel to the next, to the right and upwards.
vec3 tilted(vec3 normal, vec2 slope) {
    vec3 right = dFdx(v_position);
    vec3 up = dFdy(v_position);
    vec3 across_right = cross(up, normal);
    vec3 across_up = cross(normal, right);
    float area = dot(right, across_right);
    vec3 gradient = sign(area) * (slope.x * across_right + slope.y * across_up) / max(abs(area), 1e-9);
    // At edges the neighbouring pixels can belong to another surface; that would give any slope.
    return normalize(normal - gradient * min(1.0, STEEPEST / max(length(gradient), 1e-6)));
}

float relief(vec2 uv) {
    return RELIEF * dot(texture(p3d_Texture0, uv).rgb, LUMINANCE);
}

float sun_visibility(vec3 normal, vec3 to_sun) {
    // A little off the surface, so that it does not shade itself.
    vec3 place = v_position + normal * 0.04 + to_sun * 0.02;
    vec4 seen = p3d_LightSource[0].shadowViewMatrix * vec4(place, 1.0);
    vec2 texel = 1.0 / vec2(textureSize(p3d_LightSource[0].shadowMap, 0));
    float lit = 0.0;
    for (int tap = 0; tap < 4; tap++) {
        vec2 offset = (vec2(tap & 1, tap >> 1) - 0.5) * 1.6 * texel;
        lit += textureProj(p3d_LightSource[0].shadowMap, seen + vec4(offset * seen.w, 0.0, 0.0));
    }
    return mix(1.0, 0.25 * lit, u_shadows);
}

// Close to the curve of film (Narkowicz, ACES Filmic Tone Mapping Curve, 2015).
vec3 film(vec3 light) {
    return clamp(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14), 0.0, 1.0);
}

void main() {
    vec3 texel = texture(p3d_Texture0, v_uv).rgb * v_color;
    vec3 albedo = texel * texel;
    vec4 mark = rtstamp_mark(v_mark_uv);

    float height = relief(v_uv);
    vec2 slope = vec2(relief(v_uv + dFdx(v_uv)), relief(v_uv + dFdy(v_uv))) - height;
    vec3 flat_normal = normalize(v_normal);
    vec3 normal = tilted(flat_normal, slope);

    // A burn is soot, with heat in the middle. Both fade with the mark, and heat sooner.
    albedo *= 1.0 - 0.9 * smoothstep(0.0, 0.6, mark.a);
    vec3 heat = HEAT * mark.rgb * mark.rgb * mark.a;

    vec3 to_eye = normalize(-v_position);
    vec3 to_sun = normalize(p3d_LightSource[0].position.xyz);
    vec3 sun = SUN * p3d_LightSource[0].color.rgb * max(dot(normal, to_sun), 0.0);
    sun *= sun_visibility(flat_normal, to_sun);
    float shine = pow(max(dot(normal, normalize(to_sun + to_eye)), 0.0), 40.0);

    vec3 to_flash = p3d_LightSource[1].position.xyz - v_position;
    float range = length(to_flash);
    float strength = max(dot(normal, to_flash / range), 0.0) + 0.1;
    strength /= dot(p3d_LightSource[1].attenuation, vec3(1.0, range, range * range));
    vec3 flash = FLASH * p3d_LightSource[1].color.rgb * strength;

    float upward = dot(normal, (p3d_ViewMatrix * vec4(0.0, 0.0, 1.0, 0.0)).xyz);
    vec4 ground = texture(u_ground, v_world.xy / u_ground_size + 0.5);
    float aloft = smoothstep(0.0, 1.6, v_world.z);
    float open_sky = mix(ground.a, 1.0, aloft) * mix(mix(0.55, 1.0, aloft), 1.0, max(upward, 0.0));
    vec3 sky = mix(SKY_BELOW, SKY_ABOVE, 0.5 + 0.5 * upward) * open_sky;
    vec3 lamps = LAMPS * ground.rgb * (0.65 + 0.35 * upward) * exp(-0.5 * v_world.z);

    vec3 light = albedo * (sky + sun + lamps + flash) + 0.25 * shine * sun * texel;
    o_color = vec4(sqrt(film(light + heat + u_emission * 4.0 * v_color * v_color)), 1.0);
}
