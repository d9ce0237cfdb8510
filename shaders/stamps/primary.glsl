// How Primary holds a mask: covered texels hold (1 + 254 mask) / 255, texels without a triangle 0. So
// coverage needs no texture of its own, and the merge can tell an unmarked texel from one that no triangle
// reaches.

float encode_mask(float mask) {
    return (1.0 + 254.0 * clamp(mask, 0.0, 1.0)) / 255.0;
}

float decode_mask(float stored) {
    return max(0.0, stored * 255.0 - 1.0) / 254.0;
}

bool is_covered(float stored) {
    return stored > 0.5 / 255.0;
}
