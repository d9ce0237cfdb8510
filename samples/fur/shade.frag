#version 330
// What the light sees of a model, in the colour of its shadow on the lawn.

out vec4 o_color;

void main() {
    o_color = vec4(0.34, 0.38, 0.44, 1.0);
}
