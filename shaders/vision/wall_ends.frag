#version 330
// The ends of walls. Input: what wall_ends.vert hands on. Output: the same.

flat in vec4 v_ends;
out vec4 o_ends;

void main() {
    o_ends = v_ends;
}
