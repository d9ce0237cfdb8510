"""Dusk: a low sun with soft shadows, the sky, lamps, and the flash of a gun, in one shader for everything."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import (
    AmbientLight,
    AntialiasAttrib,
    BitMask32,
    DirectionalLight,
    Filename,
    LColor,
    LMatrix4,
    LVector3,
    NodePath,
    Point3,
    PointLight,
    RenderState,
    SamplerState,
    ShaderAttrib,
    Texture,
    get_model_path,
)

from panda_rtstamp import load_shader
from samples.shooter.arena import HALF_SIZE, LAMPS, Arena, bounds

HERE = Filename.from_os_specific(str(Path(__file__).resolve().parent))
SKY = LColor(0.030, 0.042, 0.055, 1)
SUN_COLOR = LColor(1.0, 0.72, 0.46, 1)
SUN_HPR = (-62, -36, 0)
# What the sun's shadows are drawn for: a square of this many metres around the player, with this many texels.
SHADOW_SIZE = 26.0
SHADOW_TEXELS = 1024
LAMP_COLOR = (1.0, 0.62, 0.28)
GROUND_TEXELS = 512
# The sun's camera sees what is not hidden from this.
SHADOW_MASK = BitMask32.bit(5)
# Above anything that a model asks for.
OVERRIDE = 10_000


class Light:
    """Lights the arena, and sets the shader that shows it (`arena.vert`, `arena.frag`)."""

    def __init__(self, base: Any, arena: Arena) -> None:
        get_model_path().append_directory(HERE)
        self.base = base
        self.root = arena.root
        base.set_background_color(SKY)
        base.render.set_antialias(AntialiasAttrib.M_multisample)
        self.root.set_shader(load_shader("arena.vert", "arena.frag"))
        self.root.set_shader_input("u_emission", 0)
        self.root.set_shader_input("u_ground", ground_light(arena.walls))
        self.root.set_shader_input("u_ground_size", 2 * HALF_SIZE)
        self.sun = self._add_sun()
        self.flash = self._add_flash()
        # For the looks that Panda lights; the shader has a sky of its own.
        ambient = AmbientLight("ambient")
        ambient.set_color((0.60, 0.63, 0.68, 1))
        self.root.set_light(self.root.attach_new_node(ambient))
        self.set_shadows(True)

    def set_shadows(self, on: bool) -> None:
        """Let the sun cast shadows, or not, which is faster."""
        node: Any = self.sun.node()
        node.set_shadow_caster(on, SHADOW_TEXELS, SHADOW_TEXELS)
        self.root.set_shader_input("u_shadows", float(on))

    def follow(self, point: Point3) -> None:
        """Draw the shadows around this point. It moves by whole texels, so that their edges stand still."""
        to_light = LMatrix4(self.sun.get_mat())
        to_light.invert_in_place()
        texel = SHADOW_SIZE / SHADOW_TEXELS
        seen = to_light.xform_vec(LVector3(point))
        snapped = LVector3(round(seen.x / texel) * texel, -40, round(seen.z / texel) * texel)
        self.sun.set_pos(Point3(self.sun.get_mat().xform_vec(snapped)))

    def flash_at(self, point: Point3, color: LColor) -> None:
        """Let the one light of guns shine here; black is off."""
        self.flash.set_pos(point)
        node: Any = self.flash.node()
        node.set_color(color)

    def _add_sun(self) -> NodePath:
        sun = DirectionalLight("sun")
        sun.set_color(SUN_COLOR)
        sun.set_priority(1)  # so that it is the shader's first light
        sun.set_camera_mask(SHADOW_MASK)
        lens = sun.get_lens()
        lens.set_film_size(SHADOW_SIZE, SHADOW_SIZE)
        lens.set_near_far(5, 80)
        outline = ShaderAttrib.make(load_shader("shadow.vert", "shadow.frag"), OVERRIDE)
        sun.set_initial_state(RenderState.make(outline, OVERRIDE))
        path: NodePath = self.base.render.attach_new_node(sun)
        path.set_hpr(*SUN_HPR)
        self.root.set_light(path)
        return path

    def _add_flash(self) -> NodePath:
        flash = PointLight("flash")
        flash.set_color((0, 0, 0, 1))
        flash.set_attenuation((1, 0, 0.35))
        path: NodePath = self.base.render.attach_new_node(flash)
        self.root.set_light(path)
        return path


Grid = NDArray[np.float64]


def _distance(piece: NodePath, x: Grid, y: Grid) -> Grid:
    """From points of the ground to a piece's box, seen from above; 0 inside."""
    low, high = bounds(piece)
    to_piece = piece.get_mat(piece.get_top())
    to_piece.invert_in_place()
    outside = []
    for axis in range(2):
        along = x * to_piece.get_cell(0, axis) + y * to_piece.get_cell(1, axis) + to_piece.get_cell(3, axis)
        outside.append(np.maximum(np.maximum(low[axis] - along, along - high[axis]), 0))
    return np.hypot(*outside)


def ground_light(pieces: list[NodePath]) -> Texture:
    """What lamps and pieces do to the ground around them: the lamps' light; in alpha, how open the sky is."""
    edge = (np.arange(GROUND_TEXELS) + 0.5) / GROUND_TEXELS * 2 * HALF_SIZE - HALF_SIZE
    x, y = np.meshgrid(edge, edge)
    image = np.zeros((GROUND_TEXELS, GROUND_TEXELS, 4))
    for lamp in LAMPS:
        away = (x - lamp.x) ** 2 + (y - lamp.y) ** 2
        image[..., :3] += np.array(LAMP_COLOR) / (1 + 0.22 * away)[..., None] ** 1.5
    image[..., 3] = 1
    for piece in pieces:
        height = bounds(piece)[1].z
        image[..., 3] *= 1 - 0.6 * np.exp(-_distance(piece, x, y) / (0.35 * height))
    texels = (255 * np.clip(image, 0, 1) + 0.5).astype(np.uint8)
    texture = Texture("ground")
    texture.setup_2d_texture(GROUND_TEXELS, GROUND_TEXELS, Texture.T_unsigned_byte, Texture.F_rgba)
    texture.set_ram_image(np.ascontiguousarray(texels[..., [2, 1, 0, 3]]))
    texture.set_wrap_u(SamplerState.WM_clamp)
    texture.set_wrap_v(SamplerState.WM_clamp)
    return texture
