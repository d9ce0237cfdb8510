// What a result that is blended into half floats is to be multiplied by, so that it does not drift down where
// the driver cuts half floats off. Half a step is between 2^-12 and 2^-11 of a value; the middle of these
// undoes it on average, and is too little to move a value that nothing is added to.
// Input: u_rounding, the texel of core/rounding.py.

uniform sampler2D u_rounding;

float half_float_correction() {
    bool cuts_off = texelFetch(u_rounding, ivec2(0), 0).r == 1.0;
    return cuts_off ? 1.0 + exp2(-11.5) : 1.0;
}
