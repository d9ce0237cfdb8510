// Panda's lights and fog as fixed function has them: vec3 lit(albedo, position, normal), and
// float fog_clearness(depth), 1 without fog, with positions and normals in the API's view space.
// u_fog_mode: 0 none, 1 linear, 2 exponential, 3 exponential squared.

uniform struct p3d_LightSourceParameters {
    vec4 color;
    vec3 ambient;
    vec4 diffuse;
    vec4 specular;
    vec4 position;
    vec3 spotDirection;
    float spotExponent;
    float spotCutoff;
    float spotCosCutoff;
    vec3 attenuation;
    mat4 shadowViewMatrix;
} p3d_LightSource[8];

uniform struct p3d_LightModelParameters {
    vec4 ambient;
} p3d_LightModel;

uniform struct p3d_FogParameters {
    vec4 color;
    float density;
    float start;
    float end;
    float scale;
} p3d_Fog;

uniform int u_fog_mode;

vec3 light_from(int index, vec3 position, vec3 normal) {
    vec4 source = p3d_LightSource[index].position;
    vec3 to_light = source.xyz - position * source.w;
    float range = max(length(to_light), 1e-6);
    to_light /= range;
    float strength = max(dot(normal, to_light), 0.0);
    if (source.w > 0.0) {
        strength /= max(dot(p3d_LightSource[index].attenuation, vec3(1.0, range, range * range)), 1e-6);
        float along = dot(-to_light, p3d_LightSource[index].spotDirection);
        float edge = p3d_LightSource[index].spotCosCutoff;
        if (edge > 0.0) {
            strength *= along < edge ? 0.0 : pow(along, p3d_LightSource[index].spotExponent);
        }
    }
    return p3d_LightSource[index].color.rgb * strength;
}

vec3 lit(vec3 albedo, vec3 position, vec3 normal) {
    vec3 light = p3d_LightModel.ambient.rgb;
    for (int index = 0; index < 8; index++) {
        light += light_from(index, position, normal);
    }
    return albedo * light;
}

float fog_clearness(float depth) {
    float thickness = p3d_Fog.density * depth;
    if (u_fog_mode == 1) {
        return clamp((p3d_Fog.end - depth) * p3d_Fog.scale, 0.0, 1.0);
    } else if (u_fog_mode == 2) {
        return exp(-thickness);
    } else if (u_fog_mode == 3) {
        return exp(-thickness * thickness);
    }
    return 1.0;
}
