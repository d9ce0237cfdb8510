#version 330
// A card over what is in a viewer's range, and two texels more on each side. Inputs: the corners, -1..1 in X
// and Z; u_eye; u_range; u_size and u_middle, of the mask's rectangle; u_texels, of the mask; u_layer, its
// depth.
// Output: clip space.

in vec4 p3d_Vertex;
uniform vec2 u_eye;
uniform float u_range;
uniform vec2 u_size;
uniform vec2 u_middle;
uniform float u_texels;
uniform float u_layer;

void main() {
    vec2 corner = p3d_Vertex.xz;
    vec2 place = (u_eye + corner * u_range - u_middle) * 2.0 / u_size + corner * 4.0 / u_texels;
    gl_Position = vec4(clamp(place, -1.0, 1.0), u_layer, 1.0);
}
