"""Shell fur: a coat on any model in one draw, and a painter of its direction, length and density."""
