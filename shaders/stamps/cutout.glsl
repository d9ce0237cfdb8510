// Where alpha cuts a model away or thins it out, as Panda's fixed function has it: float cutout(). A mark is
// multiplied by it. STAGES: how many textures, 0 to 3, have a say.
// Inputs: the textures, the colour scale and v_texcoords; v_alpha, of the vertex colour and the colour scale;
// u_alpha_test: how alpha is compared, numbered as RenderAttrib.PandaCompareFunc, and with what;
// u_alpha_blends: 1 if alpha thins out what it leaves.

#ifndef STAGES
#define STAGES 0
#endif

uniform vec4 p3d_ColorScale;
uniform vec2 u_alpha_test;
uniform int u_alpha_blends;
centroid in float v_alpha;
#if STAGES > 0
uniform sampler2D p3d_Texture0;
centroid in vec2 v_texcoords[STAGES];
#endif
#if STAGES > 1
uniform sampler2D p3d_Texture1;
#endif
#if STAGES > 2
uniform sampler2D p3d_Texture2;
#endif

float textures_alpha() {
    float alpha = 1.0;
#if STAGES > 0
    alpha *= texture(p3d_Texture0, v_texcoords[0]).a;
#endif
#if STAGES > 1
    alpha *= texture(p3d_Texture1, v_texcoords[1]).a;
#endif
#if STAGES > 2
    alpha *= texture(p3d_Texture2, v_texcoords[2]).a;
#endif
    return alpha;
}

bool passes(float alpha) {
    int function = int(u_alpha_test.x);
    // As drivers compare: in the eight bits that the picture is shown in.
    float given = round(alpha * 255.0);
    float reference = round(u_alpha_test.y * 255.0);
    bool less_passes = function == 2 || function == 4 || function == 6 || function == 8;
    bool equal_passes = function == 3 || function == 4 || function == 7 || function == 8;
    bool greater_passes = function == 5 || function == 6 || function == 7 || function == 8;
    return given < reference ? less_passes : given > reference ? greater_passes : equal_passes;
}

float cutout() {
    float alpha = textures_alpha();
    float kept = passes(alpha * v_alpha) ? 1.0 : 0.0;
    // Paint on glass is no thinner than elsewhere; but where a texture has nothing, there is nothing to
    // paint.
    return u_alpha_blends == 1 ? kept * alpha * p3d_ColorScale.a : kept;
}
