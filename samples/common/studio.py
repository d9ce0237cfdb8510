"""A photographer's studio for the samples: a floor, three lights, soft shadows, a camera that goes round."""

from math import cos, radians, sin
from pathlib import Path
from typing import Any

from panda3d.core import (
    AmbientLight,
    AntialiasAttrib,
    BitMask32,
    Camera,
    CardMaker,
    DirectionalLight,
    Filename,
    GeomNode,
    GraphicsOutput,
    LColor,
    LMatrix4,
    NodePath,
    OrthographicLens,
    Point3,
    RenderState,
    Shader,
    ShaderAttrib,
    Texture,
    TransparencyAttrib,
    get_model_path,
)

from panda_rtstamp import load_shader

HERE = Filename.from_os_specific(str(Path(__file__).resolve().parent))
BACKGROUND = LColor(0.19, 0.28, 0.34, 1)
FLOOR_RADIUS = 9.0
SHADOW_PIXELS = 1024
# Direction (heading and pitch) and colour of each light.
LIGHTS = (
    ((-38, -52), (0.70, 0.66, 0.60)),  # the key light, from the left in front; it casts the shadows
    ((65, -25), (0.13, 0.16, 0.21)),  # a cool fill from the right
    ((170, -35), (0.20, 0.20, 0.24)),  # from behind, for the outlines
)
AMBIENT = (0.29, 0.30, 0.33)
# Above a model's own shader, so that the light sees outlines whatever the model looks like.
OVERRIDE = 10_000


class Studio:
    """Everything around the models. Put them below `models`: they are lit, and cast shadows on `floor`."""

    def __init__(self, base: Any, focus: Point3, distance: float) -> None:
        get_model_path().append_directory(HERE)
        self.base = base
        self.focus = focus
        self.distance = distance
        self.heading = 0.0
        self.pitch = 12.0
        self.models: NodePath = base.render.attach_new_node("models")
        self.models.set_shader(load_shader("lit.vert", "lit.frag"))
        self.models.set_shader_input("u_fog_mode", 0)
        base.disable_mouse()
        base.set_background_color(BACKGROUND)
        base.render.set_antialias(AntialiasAttrib.M_multisample)
        base.camLens.set_fov(32)
        self.key_light, *_ = [self._add_light(*light) for light in LIGHTS]
        ambient = AmbientLight("ambient")
        ambient.set_color((*AMBIENT, 1))
        base.render.set_light(base.render.attach_new_node(ambient))
        self.floor = self._add_card("floor", load_shader("floor.vert", "floor.frag"))
        self.floor.set_collide_mask(GeomNode.get_default_collide_mask())
        self.floor.set_shader_input("u_background", BACKGROUND.xyz)
        self._add_sky()
        self._add_shadows()
        self.look_from(self.heading, self.pitch)

    def look_from(self, heading: float, pitch: float) -> None:
        """Put the camera on a circle around the focus: degrees around it, degrees above the floor."""
        self.heading, self.pitch = heading, pitch
        around, above = radians(heading), radians(pitch)
        x, y, z = sin(around) * cos(above), -cos(around) * cos(above), sin(above)
        self.base.camera.set_pos(self.focus + Point3(x, y, z) * self.distance)
        self.base.camera.look_at(self.focus)

    def _add_light(self, direction: tuple[float, float], color: tuple[float, float, float]) -> NodePath:
        light = DirectionalLight("light")
        light.set_color((*color, 1))
        path: NodePath = self.base.render.attach_new_node(light)
        path.set_hpr(*direction, 0)
        self.base.render.set_light(path)
        return path

    def _add_card(self, name: str, shader: Shader) -> NodePath:
        card = CardMaker(name)
        card.set_frame(-FLOOR_RADIUS, FLOOR_RADIUS, -FLOOR_RADIUS, FLOOR_RADIUS)
        card.set_has_normals(True)
        path: NodePath = self.base.render.attach_new_node(card.generate())
        path.set_p(-90)
        path.set_collide_mask(BitMask32.all_off())
        path.set_shader(shader)
        path.set_shader_input("u_radius", FLOOR_RADIUS)
        return path

    def _add_sky(self) -> None:
        sky = self._add_card("sky", load_shader("floor.vert", "sky.frag"))
        sky.set_shader_input("u_background", BACKGROUND.xyz)
        sky.reparent_to(self.base.cam)
        sky.set_pos_hpr_scale((0, 100, 0), (0, 0, 0), (10, 10, 10))
        sky.set_bin("background", 0)
        sky.set_depth_test(False)
        sky.set_depth_write(False)

    def _add_shadows(self) -> None:
        """Draw the models' outlines as the key light sees them, and lay them over the floor."""
        lens = OrthographicLens()
        lens.set_film_size(2 * FLOOR_RADIUS, 2 * FLOOR_RADIUS)
        lens.set_near_far(1, 100)
        camera = Camera("light", lens)
        camera.set_scene(self.models)
        outline = ShaderAttrib.make(load_shader("lit.vert", "silhouette.frag"), OVERRIDE)
        camera.set_initial_state(RenderState.make(outline, OVERRIDE))
        eye = self.key_light.attach_new_node(camera)
        eye.set_y(-50)
        outlines = Texture("outlines")
        outlines.set_wrap_u(Texture.WM_border_color)
        outlines.set_wrap_v(Texture.WM_border_color)
        self._make_buffer(outlines).make_display_region().set_camera(eye)
        shadows = self._add_card("shadows", load_shader("floor.vert", "shadow.frag"))
        shadows.set_z(0.002)
        shadows.set_transparency(TransparencyAttrib.M_alpha)
        shadows.set_depth_write(False)
        to_light = LMatrix4(self.base.render.get_mat(eye) * lens.get_projection_mat())
        shadows.set_shader_input("u_silhouettes", outlines)
        shadows.set_shader_input("u_world_to_light", to_light)

    def _make_buffer(self, texture: Texture) -> GraphicsOutput:
        buffer: GraphicsOutput = self.base.win.make_texture_buffer(
            "shadows", SHADOW_PIXELS, SHADOW_PIXELS, texture
        )
        buffer.set_clear_color((0, 0, 0, 1))
        return buffer
