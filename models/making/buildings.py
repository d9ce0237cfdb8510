"""The arena's walls, pillars and tanks."""

import numpy as np

from models.making.mesh import Mesh, merge
from models.making.outlines import circle, polygon
from models.making.parts import AMBER, CYAN, DARK, STEEL, YELLOW, Model, copies
from models.making.solids import SIDES, band, box, cap, prism, rib


def wall() -> Model:
    """A segment of the arena's border, 8 m by 0.8 m by 2.2 m, its inner side to -Y; segments join along X."""
    along = (*SIDES, "+z")
    parts = [
        box((-4, -0.4, 0), (4, 0.4, 0.36), 0.06, along).tinted((0.72, 0.75, 0.8)),
        box((-4, -0.24, 0.3), (4, 0.24, 1.95), 0.02, SIDES),
    ]
    for x in (-3.0, -1.0, 1.0, 3.0):
        parts.append(
            box((x - 0.2, -0.37, 0.3), (x + 0.2, 0.37, 1.95), 0.06, SIDES).tinted((0.86, 0.88, 0.92))
        )
    spans = ((-3.97, -3.2), (-2.8, -1.2), (-0.8, 0.8), (1.2, 2.8), (3.2, 3.97))
    for left, right in spans:
        panel = box((left + 0.05, -0.31, 0.48), (right - 0.05, -0.2, 1.5), 0.05, along, {"-y": (0.1, 0.03)})
        parts.append(panel.tinted(STEEL))
    coping = box((-4, -0.4, 1.95), (4, 0.4, 2.2), 0.1, (*along, "-z"), {"+z": (0.16, 0.035)})
    parts.append(coping.tinted((0.66, 0.70, 0.77)))
    strips = [box((left, -0.29, 1.64), (right, -0.2, 1.76), 0.0, ("-y", "+z")) for left, right in spans]
    return Model(merge(parts), "concrete", merge(strips).tinted(CYAN))


def pillar() -> Model:
    """An eight-sided pillar, 1.2 m across and 3 m high, with a base, a capital and a ring that glows."""
    side = [(0, 0), (0, 0.3), (0.06, 0.38)]
    base = prism(polygon(0.6, 8, 0.04), side, [(0.12, 0.38), (0.18, 0.46)], 1, [0.55, 0.9, 1])
    shaft = band(polygon(0.44, 8, 0.05), [(0, 0.4), (0.02, 2.6)], 1, [0.75, 1])
    belt = [(0.03, 1.0), (0, 1.04), (0, 1.2), (0.03, 1.24)]
    belts = band(polygon(0.475, 8, 0.05), belt)
    side = [(0.17, 2.5), (0, 2.7), (0, 2.94), (0.06, 3.0)]
    capital = prism(polygon(0.6, 8, 0.04), side, [(0.18, 3.0), (0.22, 2.95)])
    glow = band(polygon(0.445, 8, 0.05), [(0, 2.3), (0, 2.4)])
    stone = (0.82, 0.85, 0.90)
    body = merge([base.tinted(stone), shaft, belts.tinted(STEEL), capital.tinted(stone)])
    return Model(body, "concrete", glow.tinted(CYAN))


def silo() -> Model:
    """A round tank, 3.6 m across and 3.2 m high: a ribbed dome, a ladder to -Y, a ring that glows."""
    around = circle(1.8, 24)
    foot = band(around, [(0, 0), (0, 0.24), (0.07, 0.3)], 2, [0.55, 0.9, 1])
    tank = band(around, [(0.07, 0.3), (0.07, 1.98)], 2, [0.75, 1])
    neck = band(around, [(0.07, 2.1), (0.07, 2.22), (0, 2.3), (0, 2.5), (0.05, 2.54)], 2)
    glow = band(around, [(0.045, 1.98), (0.045, 2.1)], 2)
    angles = np.radians([0, 18, 38, 60, 90])
    dome = [(0.05 + 1.4 * (1 - np.cos(a)), 2.54 + 0.5 * np.sin(a)) for a in angles]
    roof = cap(around, dome, [0.75, 1, 1, 1, 1], filled=False)
    ribs = copies(rib([(1.8 - inset, z) for inset, z in dome[:-1]], 0.12, 0.05), 10, 9)
    posts = copies(box((1.66, -0.08, 0.28), (1.8, 0.08, 2.26), 0.0, ("+x", "+y", "-y")), 10, 9)
    lid = prism(circle(0.5, 16), [(0, 2.95), (0, 3.12), (0.04, 3.16)], [(0.1, 3.16), (0.13, 3.13)])
    knob = prism(circle(0.16, 8), [(0, 3.1), (0, 3.18), (0.03, 3.2)])
    hull = merge([tank, roof]).tinted((0.93, 0.94, 0.96))
    frame = merge([foot, neck, ribs, posts]).tinted(STEEL)
    details = merge([lid.tinted(YELLOW), knob.tinted(DARK), _ladder().tinted(DARK)])
    return Model(merge([hull, frame, details]), "plating", glow.tinted(AMBER))


def _ladder() -> Mesh:
    """Two rails and rungs on the silo's side, to -Y."""
    parts = []
    for x in (-0.25, 0.25):
        parts.append(box((x - 0.03, -1.98, 0.15), (x + 0.03, -1.86, 2.75), 0.02, ("-y", "+x", "-x", "+z")))
        for z in (0.6, 2.4):
            parts.append(box((x - 0.03, -1.9, z - 0.03), (x + 0.03, -1.7, z + 0.03), 0.0, ("+x", "-x", "+z")))
    for z in np.arange(0.4, 2.7, 0.28):
        parts.append(box((-0.25, -1.95, z - 0.02), (0.25, -1.9, z + 0.02), 0.0, ("-y", "+z")))
    return merge(parts)
