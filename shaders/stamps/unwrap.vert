#version 330
// Lays a model out by its stamp UVs, so that drawing it fills the texture it will be painted with.
// Inputs: the model, its `rtstamp_uv` (u, v, 1; zeros where a model has none), Panda's skinning inputs, and u_view_to_world, which turns the API's
// view space into the world's axes (the capture camera stands at the capture's origin and is not rotated).
// Outputs: v_position, world axes and units, relative to the capture's origin; v_uv; clip space.

#pragma include <rtstamp/common/skinning.glsl>

in vec4 p3d_Vertex;
in vec3 rtstamp_uv;
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 u_view_to_world;
out vec3 v_position;
out vec2 v_uv;

void main() {
    v_position = (u_view_to_world * (p3d_ModelViewMatrix * skinned(p3d_Vertex))).xyz;
    v_uv = rtstamp_uv.xy;
    // What has no stamp UVs is clipped away.
    gl_Position = rtstamp_uv.z > 0.5 ? vec4(v_uv * 2.0 - 1.0, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
