// Appended to the coat's own functions by tests: each vertex of one layer is a texel that holds its place.
uniform int u_wanted;
uniform ivec2 u_size;
flat out vec4 v_place;

void main() {
    int layer = fur_layer();
    v_place = p3d_ViewMatrixInverse * vec4(shell_of(layer).position, 1.0);
    vec2 texel = vec2(gl_VertexID % u_size.x, gl_VertexID / u_size.x) + 0.5;
    vec2 place = layer == u_wanted ? texel / vec2(u_size) * 2.0 - 1.0 : vec2(2.0);
    gl_Position = vec4(place, 0.0, 1.0);
    gl_PointSize = 1.0;
}
