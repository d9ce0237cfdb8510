// How much of a pixel strands cover: float strands_at(float height), 0..1, seen straight from above, in a
// layer that is one of DENSE.
// And float strands_left(float density), how much of that is left of fewer strands.
// Inputs: p3d_Texture1, the slices, of which number k reaches from k / slices up, and a last one that holds a
// number 0..1 for each strand; v_strands, where strands stand: on the texture, or, with BOX, in its units in
// space, with v_box, the normal there.

// Of how many layers the texture holds the coverage, and how many strands along an edge.
const float DENSE = 12.0;
const float ACROSS = 32.0;

#ifdef BOX
in vec3 v_strands;
in vec3 v_box;
#else
in vec2 v_strands;
#endif
uniform sampler2DArray p3d_Texture1;

#ifdef BOX
// Looked at along the three axes: along that which the skin faces, or, in a narrow band between, two or
// three.
float slice_at(float number, float blur) {
    vec3 dx = dFdx(v_strands) * blur;
    vec3 dy = dFdy(v_strands) * blur;
    vec3 weight = pow(abs(v_box) / max(length(v_box), 1e-6), vec3(8.0));
    weight = max(weight / (weight.x + weight.y + weight.z) - 0.1, 0.0);
    float covered = 0.0;
    if (weight.x > 0.0) {
        covered += weight.x * textureGrad(p3d_Texture1, vec3(v_strands.yz, number), dx.yz, dy.yz).r;
    }
    if (weight.y > 0.0) {
        covered += weight.y * textureGrad(p3d_Texture1, vec3(v_strands.zx, number), dx.zx, dy.zx).r;
    }
    if (weight.z > 0.0) {
        covered += weight.z * textureGrad(p3d_Texture1, vec3(v_strands.xy, number), dx.xy, dy.xy).r;
    }
    return covered / (weight.x + weight.y + weight.z);
}
#else
float slice_at(float number, float blur) {
    vec2 dx = dFdx(v_strands) * blur;
    vec2 dy = dFdy(v_strands) * blur;
    return textureGrad(p3d_Texture1, vec3(v_strands, number), dx, dy).r;
}
#endif

float slices() {
    return float(textureSize(p3d_Texture1, 0).z - 1);
}

float strands_at(float height) {
    return slice_at(min(floor(height * slices()), slices() - 1.0), 1.0);
}

// From nearby each strand stands or does not; from afar, where a pixel holds many, all of them are thinner.
// What is left is shared by the layers, so that all of them together leave the rest of the skin bare.
float strands_left(float density) {
    float pixel = max(length(dFdx(v_strands)), length(dFdy(v_strands)));
    float many = smoothstep(0.25, 1.0, pixel * ACROSS);
    // Numbers of neighbours must not be mixed: that would give all strands middling ones.
    float number = slice_at(slices(), 0.25);
    float stands = clamp((mix(-0.05, 1.05, density) - number) / 0.1 + 0.5, 0.0, 1.0);
    return 1.0 - pow(max(1.0 - mix(stands, density, many), 0.0), 1.0 / DENSE);
}
