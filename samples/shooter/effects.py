"""Short-lived light: tracers, flashes, sparks and shock waves. All are made beforehand and used again."""

from dataclasses import dataclass

from panda3d.core import BitMask32, CardMaker, ColorBlendAttrib, LColor, NodePath, Point3, Shader

from panda_rtstamp import load_shader
from samples.shooter.light import SHADOW_MASK, Light

# Name: how many there can be at once, and how long one lasts, in seconds.
KINDS = {"tracer": (24, 0.09), "spark": (32, 0.16), "flash": (4, 0.06), "wave": (2, 0.55), "ball": (2, 0.4)}
BLACK = LColor(0, 0, 0, 1)


@dataclass
class Effect:
    """One card that is shown for a while. `size` is what it grows to, if it grows."""

    kind: str
    card: NodePath
    age: float = 0.0
    size: float = 0.0


class Effects:
    """Shows effects below `root`, and lets the light of guns shine."""

    def __init__(self, root: NodePath, light: Light) -> None:
        self._light = light
        shader = load_shader("effect.vert", "effect.frag")
        self._free = {
            kind: [self._make(root, kind, shader) for _ in range(n)] for kind, (n, _) in KINDS.items()
        }
        self._shown: list[Effect] = []
        self._shine = 0.0

    def tracer(self, start: Point3, end: Point3, color: LColor) -> None:
        """The way of a bullet."""
        effect = self._show("tracer", start, color)
        if effect is not None:
            effect.card.look_at(end)
            effect.card.set_scale(0.05, (end - start).length(), 1)

    def spark(self, point: Point3, color: LColor, size: float = 0.5) -> None:
        """A bullet hits."""
        effect = self._show("spark", point, color)
        if effect is not None:
            effect.card.set_scale(size)

    def flash(self, point: Point3, color: LColor, strength: float = 1.0) -> None:
        """A gun fires, and lights its surroundings."""
        effect = self._show("flash", point, color)
        if effect is not None:
            effect.card.set_scale(0.9 * strength)
        self._light.flash_at(point, color * strength)
        self._shine = 0.06 * strength

    def burst(self, point: Point3, color: LColor, size: float) -> None:
        """A blast: a ball of light, and a wave along the ground."""
        for kind, height in (("ball", 0.5), ("wave", 0.08)):
            effect = self._show(kind, Point3(point.x, point.y, max(point.z, height)), color)
            if effect is not None:
                effect.size = size
                effect.card.set_scale(0.01)
        self.flash(Point3(point + (0, 0, 1)), color, 4)

    def update(self, dt: float) -> None:
        """Let time pass."""
        if self._shine > 0:
            self._shine -= dt
            if self._shine <= 0:
                self._light.flash_at(Point3(0), BLACK)
        for effect in list(self._shown):
            effect.age += dt
            share = effect.age / KINDS[effect.kind][1]
            if share >= 1:
                effect.card.stash()
                self._shown.remove(effect)
                self._free[effect.kind].append(effect)
                continue
            effect.card.set_alpha_scale((1 - share) ** 2)
            if effect.size:
                effect.card.set_scale(effect.size * share**0.4)

    def _show(self, kind: str, point: Point3, color: LColor) -> Effect | None:
        if not self._free[kind]:
            return None
        effect = self._free[kind].pop()
        effect.age = 0.0
        self._shown.append(effect)
        effect.card.unstash()
        effect.card.set_pos(point)
        effect.card.set_color_scale(color)
        return effect

    def _make(self, root: NodePath, kind: str, shader: Shader) -> Effect:
        maker = CardMaker(kind)
        # A tracer goes from its place onwards, the others lie around theirs.
        maker.set_frame(-1, 1, 0 if kind == "tracer" else -1, 1)
        card = root.attach_new_node(maker.generate())
        if kind in ("tracer", "wave"):
            card.set_p(-90)
            card.flatten_light()
        else:
            card.set_billboard_point_eye()
        card.set_shader(shader)
        card.set_shader_input("u_kind", list(KINDS).index(kind))
        card.set_attrib(ColorBlendAttrib.make(ColorBlendAttrib.M_add))
        card.set_depth_write(False)
        card.set_bin("fixed", 0)
        card.set_two_sided(True)
        card.set_collide_mask(BitMask32.all_off())
        card.hide(SHADOW_MASK)
        card.stash()
        return Effect(kind, card)
