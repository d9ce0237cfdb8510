// One layer of a coat, for any vertex shader: Shell shell_of(int layer), in the API's view space.
// Inputs: the vertex columns; u_layers, (how many there are, 1 / that), (0, 0) where none is drawn;
// u_length, of strands as a share of the model's size; u_bend, u_shell_bias, u_gravity, u_gust, u_gust_size
// and u_wind and u_largest_bend as FurConfig has them; u_lag, how far strands lag behind, in world units, and
// u_turn, the angle that they lag behind by about u_pivot, in radians: all in the world's axes.
// COMBED: the geometry has the columns `rtstamp_fur`, `tangent` and `binormal`. FUR_LAYER: the layer's
// number, from 0 on.

#ifndef FUR_LAYER
#define FUR_LAYER gl_InstanceID
#endif

#pragma include <rtstamp/common/skinning.glsl>
#pragma include <rtstamp/common/normal.glsl>

in vec4 p3d_Vertex;
in vec3 p3d_Normal;
#ifdef COMBED
in vec4 rtstamp_fur;
in vec3 p3d_Tangent;
in vec3 p3d_Binormal;
#endif
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 p3d_ViewMatrix;
uniform mat4 p3d_ViewMatrixInverse;
uniform float osg_FrameTime;
uniform vec2 u_layers;
uniform float u_length;
uniform float u_bend;
uniform float u_shell_bias;
uniform float u_gravity;
uniform vec3 u_wind;
uniform float u_gust;
uniform float u_gust_size;
uniform float u_largest_bend;
uniform vec3 u_lag;
uniform vec3 u_turn;
uniform vec3 u_pivot;

struct Shell {
    float height;    // 0 at the skin, 1 at the tip
    vec3 position;
    vec3 normal;     // of the skin
    vec3 direction;  // of the strand here
    vec2 masks;      // length and density, as combed
};

// The number of the layer that is drawn, from 0 on; -1 outside of a coat.
int fur_layer() {
    return u_layers.x > 0.0 ? FUR_LAYER : -1;
}

// Where along the strands so many layers reach, moved to the tips. 1 / (1/b) of the formula is b.
float biased(float layers) {
    float share = layers * u_layers.y;
    return share * (1.0 + u_shell_bias) / (1.0 + u_shell_bias * share);
}

vec3 unit(vec3 vector) {
    float size = length(vector);
    return size > 1e-9 ? vector / size : vec3(0.0);
}

// What bends strands of this length that stand at a place in the world, in the world's axes.
vec3 forces(vec3 place, float size) {
    float along = dot(place, unit(u_wind)) / u_gust_size;
    float gust = 0.5 + 0.5 * sin(6.2831853 * (u_gust * osg_FrameTime - along));
    vec3 lag = (u_lag + cross(u_turn, place - u_pivot)) / size;
    lag *= u_largest_bend / max(length(lag), max(u_largest_bend, 1e-6));
    return vec3(0.0, 0.0, -u_gravity) + u_wind * gust + lag;
}

vec3 bent(vec3 straight, vec3 normal, vec3 force, float height) {
    vec3 direction = straight + pow(height, u_bend) * force;
    // Not into the skin: there, strands lie flat.
    direction -= normal * min(dot(direction, normal), 0.0);
    return length(direction) > 1e-6 ? normalize(direction) : straight;
}

Shell shell_of(int layer) {
    mat4 skin = skinning_matrix();
    Shell shell;
    shell.height = layer < 0 ? 0.0 : biased(float(layer + 1));
    mat3 turned = mat3(p3d_ModelViewMatrix) * mat3(skin);
    shell.normal = unit(turned_normal(turned, p3d_Normal));
    vec3 straight = shell.normal;
    shell.masks = vec2(1.0);
#ifdef COMBED
    vec2 lean = rtstamp_fur.xy;
    straight = unit(unit(turned * p3d_Tangent) * lean.x + unit(turned * p3d_Binormal) * lean.y
                    + shell.normal * sqrt(max(1.0 - dot(lean, lean), 0.0)));
    shell.masks = rtstamp_fur.zw;
#endif
    vec4 vertex = skin * p3d_Vertex;
    vec3 root = (p3d_ModelViewMatrix * vertex).xyz;
    // A mirror image is as large as what it mirrors.
    float size = u_length * pow(abs(determinant(mat3(p3d_ModelViewMatrix))), 1.0 / 3.0);
    vec3 place = (p3d_ViewMatrixInverse * vec4(root, 1.0)).xyz;
    vec3 force = mat3(p3d_ViewMatrix) * forces(place, size);
    shell.direction = bent(straight, shell.normal, force, shell.height);
    shell.position = root + shell.direction * (shell.height * size * shell.masks.x);
    return shell;
}
