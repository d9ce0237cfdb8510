#version 330
// The studio's backdrop: the background's colour at the horizon, darker above.

uniform mat4 p3d_ViewMatrixInverse;
uniform vec3 u_background;
in vec3 v_world;
out vec4 o_color;

void main() {
    float above = normalize(v_world - p3d_ViewMatrixInverse[3].xyz).z;
    o_color = vec4(u_background * mix(1.0, 0.3, smoothstep(-0.2, 0.1, above)), 1.0);
}
