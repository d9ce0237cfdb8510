// A normal as a linear map turns it: vec3 turned_normal(mat3 linear, vec3 normal), of any length.
// By cofactors: so for maps too that have no inverse, for which Panda ends the game at p3d_NormalMatrix.

vec3 turned_normal(mat3 linear, vec3 normal) {
    vec3 squares = vec3(dot(linear[0], linear[0]), dot(linear[1], linear[1]), dot(linear[2], linear[2]));
    mat3 even = linear / max(sqrt(max(max(squares.x, squares.y), squares.z)), 1e-18);
    mat3 cofactors = mat3(cross(even[1], even[2]), cross(even[2], even[0]), cross(even[0], even[1]));
    return cofactors * normal * (determinant(even) < 0.0 ? -1.0 : 1.0);
}
