#version 330
// What has no shader, as Panda draws it in a core profile: with its first texture, by nobody's light.
// Outputs: v_texcoord, projective; v_color, the vertex colour with the colour scale.

uniform mat4 p3d_ModelViewProjectionMatrix;
uniform vec4 p3d_ColorScale;
in vec4 p3d_Vertex;
in vec4 p3d_Color;
in vec4 p3d_MultiTexCoord0;
out vec3 v_texcoord;
out vec4 v_color;

void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    v_texcoord = p3d_MultiTexCoord0.xyw;
    v_color = p3d_Color * p3d_ColorScale;
}
