"""GLSL of stages that our shaders do not have."""

GEOMETRY = """#version 330
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        EmitVertex();
    }
    EndPrimitive();
}
"""
TESS_CONTROL = """#version 400
layout(vertices = 3) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1.0;
}
"""
TESS_EVALUATION = """#version 400
layout(triangles) in;
void main() {
    gl_Position = gl_in[0].gl_Position;
}
"""
