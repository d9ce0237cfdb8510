#version 330
// Steel that glows where it was hit. Beside what any shader needs, it hands on the UVs that marks are laid out by.

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec2 rtstamp_uv;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform mat3 p3d_NormalMatrix;
out vec3 v_position;
out vec3 v_normal;
centroid out vec2 v_mark_uv;

void main() {
    v_position = (p3d_ModelViewMatrix * p3d_Vertex).xyz;
    v_normal = p3d_NormalMatrix * p3d_Normal;
    v_mark_uv = rtstamp_uv;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
