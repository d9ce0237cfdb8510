#version 330
// A grey wall, lit from where the camera is. Input: v_normal.

in vec3 v_normal;
out vec4 o_color;

void main() {
    o_color = vec4(vec3(0.7) * max(normalize(v_normal).z, 0.0), 1.0);
}
