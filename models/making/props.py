"""The arena's ground and what stands around on it."""

import numpy as np

from models.making.mesh import Mesh, merge
from models.making.outlines import Points, circle, facets, polygon
from models.making.parts import DARK, RED, STEEL, WARM, Model, copies
from models.making.solids import TILE, UPPER, band, box, cap, plane, prism, rib, ridges

FLOOR_SIZE = 34.0
# The ground's texture repeats less often than the others.
GROUND_TILE = 8.0
# Where the paint's stencil is not, in shares of the texture.
PLAIN = (1.25 / TILE, 1.25 / TILE)
BRICK = (0.66, 0.36, 0.26)


def floor() -> Model:
    """The ground: one square, its brightness uneven so that the texture is not seen to repeat."""
    shade = 0.90 + 0.07 * np.random.default_rng(5).standard_normal((18, 18))
    # Dirt gathers at the walls.
    shade[[0, -1]] = shade[:, [0, -1]] = 0.68
    square = plane(FLOOR_SIZE, FLOOR_SIZE, np.clip(shade, 0.68, 1.0))
    return Model(square.rescaled(TILE / GROUND_TILE), "ground")


def crate() -> Model:
    """A cube of 1.3 m: framed panels with a stencil, and dark caps on its corners. White, to be tinted."""
    framed = dict.fromkeys(UPPER, (0.13, 0.045))
    body = box((-0.64, -0.64, 0.01), (0.64, 0.64, 1.29), 0.05, UPPER, framed)
    upper = box((0.41, 0.41, 1.04), (0.65, 0.65, 1.3), 0.04, ("+x", "+y", "+z"))
    lower = box((0.41, 0.41, 0.0), (0.65, 0.65, 0.26), 0.04, ("+x", "+y", "+z"))
    corners = copies(merge([upper, lower]), 4)
    return Model(merge([body, corners.tiled(PLAIN).tinted(DARK)]), "paint")


def container() -> Model:
    """A cargo box, 2.6 m by 1.3 m by 1.4 m: ridged sides and roof in a frame, doors at both ends."""
    side = ridges(_trapezoids(2.4, 8, 0.06), 1.1).turned(np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]))
    roof = ridges(_trapezoids(2.4, 6, 0.04), 1.12).moved((-1.2, -0.56, 1.355))
    half = merge([side.moved((-1.2, -0.61, 0.16)), _container_doors()])
    frame = copies(_container_frame(), 2).tinted((0.40, 0.42, 0.47))
    # A plate with the stencil.
    plate = box((0.35, -0.645, 0.38), (0.97, -0.6, 1.0), 0.02).tiled((0.32 / TILE, 0.32 / TILE))
    painted = merge([copies(half, 2), roof]).tinted(BRICK)
    return Model(merge([merge([painted, frame]).tiled(PLAIN), copies(plate, 2)]), "paint")


def _trapezoids(width: float, count: int, depth: float) -> Points:
    """A line of (x, z) with dents, from (0, 0)."""
    pitch = width / count
    dent = [(0.3, 0.0), (0.45, -depth), (0.85, -depth), (1.0, 0.0)]
    return [(0.0, 0.0), *((k * pitch + share * pitch, z) for k in range(count) for share, z in dent)]


def _container_doors() -> Mesh:
    """Two leaves and the bars that lock them, to +X."""
    parts = []
    for y in (-0.55, 0.0):
        parts.append(box((1.1, y, 0.14), (1.25, y + 0.55, 1.28), 0.03, ("+x",), {"+x": (0.07, 0.03)}))
    for y in (-0.1, 0.1):
        bar = box((1.2, y - 0.02, 0.12), (1.285, y + 0.02, 1.3), 0.0, ("+x", "+y", "-y"))
        grip = box((1.2, y - 0.05, 0.55), (1.3, y + 0.05, 0.68), 0.0)
        parts.append(merge([bar, grip]).tinted((0.72, 0.80, 0.90)))
    return merge(parts)


def _container_frame() -> Mesh:
    """Half a container's frame: the rails to -Y and to +X, and the posts of +X."""
    posts = [box((1.16, y - 0.07, 0), (1.3, y + 0.07, 1.4), 0.035) for y in (-0.58, 0.58)]
    # The upper rails stand out above the roof, so that their inner sides show.
    side_low = box((-1.2, -0.65, 0), (1.2, -0.53, 0.16), 0.03, ("-y", "+z"))
    side_high = box((-1.2, -0.65, 1.26), (1.2, -0.53, 1.4), 0.03, ("-y", "+y", "+z"))
    end_low = box((1.18, -0.55, 0), (1.3, 0.55, 0.16), 0.03, ("+x", "+z"))
    end_high = box((1.18, -0.55, 1.26), (1.3, 0.55, 1.4), 0.03, ("+x", "-x", "+z"))
    return merge([side_low, side_high, end_low, end_high, *posts])


def barrel() -> Model:
    """A drum, 0.7 m across and 1 m high, with two rings around it."""
    side: list[tuple[float, float]] = [(0.015, 0.0), (0.0, 0.02), (0.0, 0.06), (0.022, 0.08)]
    for middle in (0.35, 0.65):
        side += [(0.022, middle - 0.04), (0.0, middle - 0.015), (0.0, middle + 0.015), (0.022, middle + 0.04)]
    side += [(0.022, 0.92), (0.0, 0.94), (0.0, 0.98), (0.012, 1.0)]
    shades = [0.5, 0.55, 0.6, 0.75, *([0.85, 1.0, 1.0, 0.85] * 2), 0.85, 0.65, 0.65, 0.7]
    drum = band(circle(0.35, 16), side, 1, shades)
    lid = cap(circle(0.35, 16), [(0.012, 1.0), (0.035, 1.0), (0.055, 0.965)], [0.7, 0.7, 0.85])
    bung = prism(circle(0.06, 8), [(0, 0.96), (0.01, 0.99)]).tinted(DARK)
    bungs = [bung.moved((x, 0, 0)) for x in (-0.2, 0.18)]
    return Model(merge([drum, lid, *bungs]).tiled(PLAIN).tinted((1.0, 0.68, 0.20)), "paint")


def hatch() -> Model:
    """A round plate in the ground, 2.6 m across and 4 cm high: an iris within a ring that glows."""
    profile = [(0.0, 0.0), (0.03, 0.04), (0.16, 0.04), (0.18, 0.015)]
    rim = cap(circle(1.3, 40), profile, [0.8, 1, 1, 0.6], filled=False)
    bed = cap(circle(1.06, 40), [(0.0, 0.012), (0.04, 0.012)], filled=False)
    glow = cap(circle(1.12, 40), [(0.0, 0.02), (0.06, 0.02)], filled=False)
    pit = cap(circle(0.2, 16), [(0.0, 0.014)])
    blade = _blade(8, 1.02, 0.14, 50.0)
    blades = merge([copies(blade.tinted(STEEL), 4), copies(blade.tinted((0.44, 0.46, 0.52)), 4, 45)])
    bolts = copies(prism(circle(0.035, 6), [(0, 0.035), (0.006, 0.05)]).moved((1.21, 0, 0)), 16, 11.25)
    body = merge([rim.tinted((0.36, 0.38, 0.43)), bed.tinted(DARK), blades, bolts.tinted(STEEL)])
    return Model(body.tiled(PLAIN), "paint", merge([glow, pit]).tinted(RED))


def _blade(count: int, outer: float, inner: float, swirl: float) -> Mesh:
    """One of the plates of an iris, between two radii; swirl: how far its inner end is turned, in degrees."""
    share = 360 / count
    outside = [np.radians(share * k) for k in (0.0, 0.5, 1.0)]
    inside = [np.radians(share + swirl), np.radians(swirl)]
    corners = [(np.cos(a) * outer, np.sin(a) * outer) for a in outside]
    corners += [(np.cos(a) * inner, np.sin(a) * inner) for a in inside]
    return cap(facets(corners), [(0.006, 0.012), (0.014, 0.038)], [0.45, 0.95])


def lamp() -> Model:
    """A post, 3 m high, with a dome that glows in a cage on top."""
    foot = prism(polygon(0.24, 8, 0.02), [(0, 0), (0, 0.14), (0.03, 0.17)], [(0.14, 0.22)], 1, [0.6, 0.95, 1])
    pole = band(circle(0.09, 10), [(0, 0.18), (0, 0.5), (0.03, 0.56), (0.035, 2.5)])
    side = [(0.22, 2.42), (0.02, 2.58), (0, 2.6), (0, 2.66), (0.02, 2.68)]
    collar = prism(circle(0.3, 14), side, [(0.1, 2.68)])
    dome = [(0.07 + 0.23 * (1 - np.cos(a)), 2.68 + 0.27 * np.sin(a)) for a in np.radians([0, 20, 45, 70, 90])]
    glow = cap(circle(0.3, 14), dome, filled=False)
    cage_line = [(0.3 - inset + 0.005, z + 0.005) for inset, z in dome]
    cage = copies(rib(cage_line, 0.035, 0.025), 4, 45)
    knob = prism(circle(0.06, 8), [(0, 2.93), (0, 2.99), (0.01, 3.0)])
    body = merge([foot, pole, collar, cage, knob]).tiled(PLAIN).tinted((0.40, 0.43, 0.48))
    return Model(body, "paint", glow.tinted(WARM))
