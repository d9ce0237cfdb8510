#version 330
// All layers of a coat, one an instance. Inputs: shell.glsl's and light.glsl's; u_repeat, how often the
// texture of strands lies along the model's u and v, or, with BOX, x of it along a unit of its space.
// Outputs: v_in_shadow_map, 1 where a light's own camera seems to draw. Of a layer: v_slab, the middle of
// what it stands for, as a height, and how thick that is; of a vertex: v_color, v_light, v_highlight; v_view,
// the cosine to the eye; v_distance; v_shortness, 0 where strands have no length to speak of; v_density, as
// combed; v_texcoord, of the model's texture; v_strands and v_box for strands.glsl; v_mark for marks.
// MARKED: the column of marks' UVs, where marks may cut strands; FLAGGED: 1 if its third component is 0 where
// there are none.

#pragma include <rtstamp/fur/shell.glsl>
#pragma include <rtstamp/fur/light.glsl>
#pragma include <rtstamp/fur/shadow.glsl>

uniform mat4 p3d_ProjectionMatrix;
uniform mat4 p3d_TextureMatrix[1];
uniform int u_vertex_color;
uniform vec2 u_repeat;
in vec4 p3d_Color;
in vec2 p3d_MultiTexCoord0;
in vec2 p3d_MultiTexCoord1;
flat out int v_in_shadow_map;
flat out vec2 v_slab;
out vec4 v_color;
out vec3 v_light;
out vec3 v_highlight;
out float v_view;
out float v_distance;
out float v_shortness;
#ifdef COMBED
out float v_density;
#endif
out vec2 v_texcoord;
#ifdef BOX
out vec3 v_strands;
out vec3 v_box;
#else
out vec2 v_strands;
#endif
#ifdef MARKED
in vec3 MARKED;
out vec2 v_mark;
#endif

void main() {
    v_in_shadow_map = int(in_shadow_map(p3d_ProjectionMatrix));
    int layer = fur_layer();
    Shell shell = shell_of(layer);
    v_slab = vec2(biased(float(layer) + 0.5), shell.height - biased(float(layer)));
    v_color = u_vertex_color == 1 ? p3d_Color : vec4(1.0);
    // Without perspective, all of it is seen along one axis.
    vec3 to_eye = p3d_ProjectionMatrix[3][3] == 1.0 ? vec3(0.0, 0.0, 1.0) : -normalize(shell.position);
    Light light = light_on(shell.position, shell.normal, shell.direction, to_eye);
    v_light = light.diffuse;
    v_highlight = light.highlight;
    v_view = dot(shell.normal, to_eye);
    v_distance = abs(shell.position.z);
    v_shortness = clamp(shell.masks.x * 20.0, 0.0, 1.0);
#ifdef COMBED
    v_density = shell.masks.y;
#endif
    v_texcoord = (p3d_TextureMatrix[0] * vec4(p3d_MultiTexCoord0, 0.0, 1.0)).xy;
#ifdef BOX
    v_strands = p3d_Vertex.xyz * u_repeat.x;
    v_box = p3d_Normal;
#else
    v_strands = p3d_MultiTexCoord1 * u_repeat;
#endif
#ifdef MARKED
    v_mark = FLAGGED == 0 || MARKED.z > 0.5 ? MARKED.xy : vec2(-1.0);
#endif
    gl_Position = p3d_ProjectionMatrix * vec4(shell.position, 1.0);
}
