// Whether a light's own camera draws: bool in_shadow_map(mat4 projection). There, the matrix that takes a
// place to the light's shadow map is the projection, moved from -1..1 to 0..1. To be included after
// common/lighting.glsl.

const mat4 HALVED = mat4(0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.5, 0.5, 0.5, 1.0);
const float NEAR_ENOUGH = 1e-3;

bool is_same(mat4 one, mat4 other) {
    for (int column = 0; column < 4; column++) {
        vec4 off = abs(one[column] - other[column]);
        if (any(greaterThan(off, NEAR_ENOUGH * (1.0 + abs(other[column]))))) {
            return false;
        }
    }
    return true;
}

// A point light's has no projection: it draws six faces of a cube, each as high and as wide as it is far.
bool is_face_of_cube(mat4 projection, vec4 light) {
    mat4 rows = transpose(projection);
    vec3 sizes = vec3(length(rows[0].xyz), length(rows[1].xyz), length(rows[3].xyz));
    return light.w > 0.0 && length(light.xyz) < NEAR_ENOUGH && length(sizes - 1.0) < NEAR_ENOUGH;
}

bool in_shadow_map(mat4 projection) {
    mat4 own = HALVED * projection;
    for (int index = 0; index < 8; index++) {
        if (p3d_LightSource[index].color.rgb != vec3(0.0)
            && (is_same(p3d_LightSource[index].shadowViewMatrix, own)
                || is_face_of_cube(projection, p3d_LightSource[index].position))) {
            return true;
        }
    }
    return false;
}
