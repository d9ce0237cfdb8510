#version 330
// A copy of a model, one of a stack: the plain way to fur. u_height: 0 at the skin, 1 at the tips.
// Outputs: position and normal in view space, colour, and where in the model's space it is.

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 p3d_Color;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelViewMatrix;
uniform mat3 p3d_NormalMatrix;
uniform float u_height;
uniform float u_length;
out vec3 v_position;
out vec3 v_normal;
out vec4 v_color;
out vec3 v_place;

void main() {
    vec4 raised = p3d_Vertex + vec4(normalize(p3d_Normal) * (u_height * u_length), 0.0);
    v_position = (p3d_ModelViewMatrix * raised).xyz;
    v_normal = p3d_NormalMatrix * p3d_Normal;
    v_color = p3d_Color;
    v_place = p3d_Vertex.xyz;
    gl_Position = p3d_ModelViewProjectionMatrix * raised;
}
