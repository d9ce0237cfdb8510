// The cross product of two vectors in a plane: above 0 where the second one is to the left of the first.

float cross2(vec2 first, vec2 second) {
    return first.x * second.y - first.y * second.x;
}
