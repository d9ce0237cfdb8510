#version 330
// A card of light. Outputs: the place on the card, -1..1, and its colour.

in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform vec4 p3d_ColorScale;
out vec2 v_place;
out vec3 v_color;

void main() {
    v_place = p3d_MultiTexCoord0 * 2.0 - 1.0;
    v_color = p3d_ColorScale.rgb * p3d_ColorScale.a;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
