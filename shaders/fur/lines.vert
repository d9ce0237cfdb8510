#version 330
// Lines of the fur painter: strands as they are painted, or whatever stands in p3d_Vertex.
// STRANDS: 1 where each line is a strand, whose two vertices are one of the model's; rtstamp_strand is 0 at
// the root and 1 at the tip, u_length the length in the world of what is painted as long as can be.
// Outputs: v_along, 0..1 from root to tip; v_density, 0..1.

#ifndef STRANDS
#define STRANDS 0
#endif

#pragma include <rtstamp/common/normal.glsl>

in vec4 p3d_Vertex;
uniform mat4 p3d_ModelViewProjectionMatrix;
out float v_along;
out float v_density;
#if STRANDS
in vec3 p3d_Normal;
in vec3 p3d_Tangent;
in vec3 p3d_Binormal;
in vec4 rtstamp_fur;
in float rtstamp_strand;
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 p3d_ProjectionMatrix;
uniform float u_length;
#endif

void main() {
#if STRANDS
    mat3 turn = mat3(p3d_ModelViewMatrix);
    vec3 normal = normalize(turned_normal(turn, p3d_Normal));
    float upright = sqrt(max(1.0 - dot(rtstamp_fur.xy, rtstamp_fur.xy), 0.0));
    vec3 direction = rtstamp_fur.x * normalize(turn * p3d_Tangent)
                   + rtstamp_fur.y * normalize(turn * p3d_Binormal) + upright * normal;
    vec4 position = p3d_ModelViewMatrix * p3d_Vertex;
    position.xyz += normalize(direction) * (u_length * rtstamp_fur.z * rtstamp_strand);
    gl_Position = p3d_ProjectionMatrix * position;
    v_along = rtstamp_strand;
    v_density = rtstamp_fur.w;
#else
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    v_along = 1.0;
    v_density = 1.0;
#endif
}
