"""The arena's building."""

from models.making.mesh import Mesh, around_z, merge
from models.making.outlines import circle, facets, polygon
from models.making.parts import AMBER, DARK, STEEL, YELLOW, Model, copies
from models.making.solids import UPPER, band, box, cap, prism

# Where windows are: which way (degrees), how far from the middle the wall's foot is, and where along it.
WINDOWS = (
    (0, 2.5, (-1.65, 1.65)),
    (180, 2.5, (0.0,)),
    (90, 3.0, (-0.9, 0.9)),
    (270, 3.0, (-0.9, 0.9)),
)


def bunker() -> Model:
    """A building, 6 m by 5 m by 2.8 m, its door to -Y: a parapet round a roof with machines on it."""
    right = [(2.4, -2.5), (3.0, -1.9), (3.0, 1.9), (2.4, 2.5)]
    outline = facets([*right, *((-x, -y) for x, y in right)], 0.04)
    walls = band(outline, [(0, 0), (0, 0.36), (0.12, 0.48), (0.26, 2.3)], 4, [0.55, 0.85, 0.95, 0.85])
    parapet = band(outline, [(0.26, 2.3), (0.08, 2.42), (0.08, 2.72), (0.16, 2.8)], 4, [0.6, 0.9, 1, 1])
    profile = [(0.16, 2.8), (0.36, 2.8), (0.42, 2.74), (0.44, 2.52), (0.8, 2.5)]
    roof = cap(outline, profile, [0.66, 0.66, 0.6, 0.5, 0.92])
    frames, slits = [], []
    for turn, distance, places in WINDOWS:
        for x in places:
            frame, slit = _window(distance)
            frames.append(frame.moved((x, 0, 0)).turned(around_z(turn)))
            slits.append(slit.moved((x, 0, 0)).turned(around_z(turn)))
    body = merge([walls, parapet.tinted(STEEL), roof, *frames, _door(), _roof_machines()])
    return Model(body, "plating", merge(slits).tinted(AMBER))


def _window(distance: float) -> tuple[Mesh, Mesh]:
    """A frame and the slit that glows in it, for a wall to -Y whose foot is at a distance."""
    front = -distance + 0.12
    faces = ("-y", "+x", "-x", "+z")
    frame = box((-0.55, front, 1.5), (0.55, front + 0.2, 1.92), 0.04, faces, {"-y": (0.08, 0.06)})
    slit = box((-0.46, front + 0.04, 1.6), (0.46, front + 0.1, 1.82), 0.0, ("-y",))
    return frame.tinted(DARK), slit


def _door() -> Mesh:
    """A frame and two leaves, to -Y, and a step."""
    front = ("-y", "+x", "-x", "+z")
    frame = box((-0.85, -2.54, 0), (0.85, -2.2, 2.16), 0.07, front)
    framed = {"-y": (0.1, 0.03)}
    leaves = [box((x, -2.59, 0.1), (x + 0.66, -2.5, 1.98), 0.04, front, framed) for x in (-0.67, 0.01)]
    lintel = box((-0.62, -2.66, 2.0), (0.62, -2.5, 2.1), 0.03, front)
    step = box((-0.95, -2.85, 0), (0.95, -2.5, 0.1), 0.04, front)
    return merge([merge([frame, step]).tinted(STEEL), merge(leaves).tinted(YELLOW), lintel.tinted(DARK)])


def _roof_machines() -> Mesh:
    """What stands on the bunker's roof, at a height of 2.5 m."""
    fans = [_fan().moved((1.15, y, 2.5)).tinted((0.9, 0.92, 0.95)) for y in (-0.75, 0.75)]
    pipe = band(circle(0.14, 8), [(0, 2.48), (0, 2.9)], 1, [0.6, 1])
    hood = prism(circle(0.25, 10), [(0.1, 2.84), (0, 2.86), (0, 2.94)], [(0.12, 3.02)])
    vents = [merge([pipe, hood]).moved((x, 1.3, 0)).tinted(STEEL) for x in (-1.9, -1.2)]
    long_duct = box((-0.55, -1.5, 2.5), (-0.3, 1.5, 2.72), 0.05)
    short_duct = box((-0.35, 0.63, 2.5), (0.5, 0.87, 2.7), 0.04)
    ducts = merge([long_duct, short_duct]).tinted((0.8, 0.82, 0.86))
    return merge([_manhole().moved((-1.35, -0.75, 0)), *fans, *vents, ducts])


def _manhole() -> Mesh:
    """A round lid with a handle on an eight-sided base."""
    base = prism(polygon(0.55, 8, 0.03), [(0, 2.48), (0, 2.64), (0.04, 2.68)], [(0.1, 2.68), (0.13, 2.66)])
    lid = prism(circle(0.38, 12), [(0, 2.64), (0, 2.72), (0.05, 2.76)], [(0.2, 2.78)])
    handle = box((-0.2, -0.035, 2.76), (0.2, 0.035, 2.83), 0.02)
    return merge([base.tinted(STEEL), lid.tinted(YELLOW), handle.tinted(DARK)])


def _fan() -> Mesh:
    """An air conditioner's outer unit, 1.3 m by 1.1 m by 0.5 m, with a fan on top."""
    case = box((-0.65, -0.55, 0), (0.65, 0.55, 0.5), 0.06, UPPER, {"+x": (0.08, 0.03), "-x": (0.08, 0.03)})
    profile = [(0, 0.49), (0.01, 0.55), (0.06, 0.55), (0.08, 0.505)]
    ring = cap(circle(0.46, 16), profile, [0.7, 1, 1, 0.5], filled=False)
    hole = cap(circle(0.385, 16), [(0, 0.51)])
    hub = prism(circle(0.09, 8), [(0, 0.5), (0.02, 0.55)])
    blade = cap(facets([(0.06, -0.05), (0.36, -0.1), (0.36, 0.1), (0.06, 0.05)]), [(0, 0.53)])
    rotor = merge([ring, hub, copies(blade, 5)])
    return merge([case, rotor.tinted(STEEL), hole.tinted((0.12, 0.13, 0.15))])
