#version 330
// Lays a model out by its stamp UVs, so that drawing it fills the texture it will be painted with.
// Inputs: the model; its `rtstamp_uv` (u, v, 1; or 2 instead of 1 on a sheet that is seen from both sides;
// zeros where a model has none); Panda's skinning inputs; u_view_to_world, which turns the API's view space
// into the world's axes (the capture camera stands at the capture's origin and is not rotated).
// Outputs: v_position, world axes and units, relative to the capture's origin; v_normal, world axes, zero
// where the model has no normals; v_uv; v_two_sided, 0 or 1; v_handedness, -1 where the model is mirrored;
// clip space.

#pragma include <rtstamp/common/skinning.glsl>

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec3 rtstamp_uv;
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 u_view_to_world;
out vec3 v_position;
out vec3 v_normal;
out vec2 v_uv;
out float v_two_sided;
out float v_handedness;

void main() {
    mat4 skin = skinning_matrix();
    mat4 to_view = p3d_ModelViewMatrix * skin;
    v_position = (u_view_to_world * (to_view * p3d_Vertex)).xyz;
    // Normals are turned by the inverse transpose, which scaling by any number leaves the same direction.
    float handedness = sign(determinant(mat3(to_view)));
    v_normal = mat3(u_view_to_world) * (transpose(inverse(mat3(to_view))) * p3d_Normal);
    v_handedness = handedness;
    v_uv = rtstamp_uv.xy;
    v_two_sided = step(1.5, rtstamp_uv.z);
    // What has no stamp UVs is clipped away.
    gl_Position = rtstamp_uv.z > 0.5 ? vec4(v_uv * 2.0 - 1.0, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
