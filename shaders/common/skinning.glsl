// Skinning for any model: vec4 skinned(position) in model space.
// Without blend columns or a transform table Panda's defaults make this the identity, so that static models
// and actors that are animated on the CPU use it too.

in vec4 transform_weight;
in uvec4 transform_index;
uniform mat4 p3d_TransformTable[100];

mat4 skinning_matrix() {
    return p3d_TransformTable[transform_index.x] * transform_weight.x
         + p3d_TransformTable[transform_index.y] * transform_weight.y
         + p3d_TransformTable[transform_index.z] * transform_weight.z
         + p3d_TransformTable[transform_index.w] * transform_weight.w;
}

vec4 skinned(vec4 position) {
    return skinning_matrix() * position;
}
