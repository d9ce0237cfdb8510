#version 120
// Appended to a model's own vertex shader, whatever its version: hands on where in the world the vertex is,
// told from where the model's shader puts it on the screen. Output: rtstamp_v_world, X and Y in world units.

uniform mat4 p3d_ProjectionMatrixInverse;
uniform mat4 p3d_ViewMatrixInverse;
RTSTAMP_OUT vec2 rtstamp_v_world;

void main() {
    RTSTAMP_USER_MAIN();
    // A point's w is 1 before the projection, so there is nothing to divide by. Under perspective the clip
    // space's z does not count then, which is rounded coarsely far away, and which shaders shift and bend.
    vec3 view = (p3d_ProjectionMatrixInverse * gl_Position).xyz;
    rtstamp_v_world = (p3d_ViewMatrixInverse * vec4(view, 1.0)).xy;
}
