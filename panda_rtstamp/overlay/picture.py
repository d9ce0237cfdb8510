"""What a game calls: a scene in a texture."""

from typing import Any

from direct.gui.OnscreenImage import OnscreenImage
from panda3d.core import Camera, GraphicsOutput, LVecBase4f, NodePath, Texture, TextureStage

from panda_rtstamp.core.arguments import check_base, check_node
from panda_rtstamp.core.config import Rule, number
from panda_rtstamp.core.readback import ReadFuture
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.overlay.aim import Aim
from panda_rtstamp.overlay.canvas import make_texture
from panda_rtstamp.overlay.drawing import Drawing
from panda_rtstamp.overlay.formats import VISIBLE, check_kind, check_point, check_update
from panda_rtstamp.overlay.picture_files import check_path, write_picture
from panda_rtstamp.overlay.pixels import Bytes, Texels, check_gamma, to_image
from panda_rtstamp.overlay.schedule import schedule_of
from panda_rtstamp.overlay.showing import Showing, make_card

# The event, with the picture.
UPDATED = "rtstamp-picture-updated"
_LENGTH = Rule(number, "a number, 1e-9 to 1e9", low=1e-9, high=1e9)


class RenderPicture:
    """A scene in a texture, with alpha: for GUI, materials and files.

    The texture holds premultiplied colour: Panda's M_alpha, drawn into a cleared texture, multiplies red,
    green and blue by alpha, as every blend does. Shown with M_alpha it would be multiplied once more, which
    makes dark fringes. So it is to be shown with M_premultiplied_alpha, as card(), onscreen_image() and
    apply_to() do, and where it fades as a whole, all four components of the colour scale fade. `save` divides
    by alpha again where the file's format wants that.

    Without a window that can draw, the picture stays empty. When a window is closed and another one opened,
    the picture goes on in that one, in the same texture; a manual one is drawn there once more.

    Args:
        base: a ShowBase.
        scene: the root of what is drawn. What is above it (states, transforms, lights) has no effect.
        camera: whose place, lens, masks and states (by tags: as they are now) it is seen by; nothing of it is
            changed, but that another one hangs below it until `destroy`. While it is not active, nothing is
            drawn. What it sees of nodes that show this very picture is undefined: hide them from its bit.
        size: texels, (width, height) or one number for both. The lens is for you to fit.
        format: 'rgba8', 'rgba16f', 'rgba32f'; or 'r11g11b10f': HDR in 4 bytes, without alpha.
        update: when it is drawn. 'manual': once for each `queue_update`, and never before the first.
            'always': in every frame. 'visible': in frames in which something shows it. That is exact for
            the nodes of `card`, `onscreen_image`, `apply_to` and `shown_by`: whether they are in the scene
            of an active camera, not hidden, and in its frustum. Other uses of the texture are noticed by
            Panda's own account of the frame before, so a frame late. Under a threading model there is none,
            and a picture whose `texture` was asked for is drawn always. All levels of an LODNode count.
        samples: of multisampling: 0, 2, 4, 8 or 16; whatever antialiasing the scene asks for. A driver that
            has fewer gives fewer, with a warning.
        background: a colour that is not premultiplied. None: (0, 0, 0, 0), or black without alpha.
        sort: lower is drawn earlier in the frame, and of equal ones what was made earlier. What pictures show
            of others that are drawn later is of an earlier frame. None: -1001; and a 'visible' one goes
            before the first in which it is seen while it is seen nowhere else.

    Raises:
        ConfigError: an argument is of the wrong type or out of range; the background is transparent in
            r11g11b10f.
    """

    def __init__(
        self,
        base: Any,
        scene: NodePath,
        camera: NodePath,
        *,
        size: Any = 512,
        format: str = "rgba8",
        update: str = VISIBLE,
        samples: int = 0,
        background: Any = None,
        sort: int | None = None,
    ) -> None:
        check_base(base)
        self._kind = check_kind(size, format, samples, background, sort)
        mode = check_update(update)
        self._aim = Aim(camera, scene, self._kind.samples)
        self._base = base
        self._texture = make_texture(self._kind)
        self._showing = Showing(mode == VISIBLE)
        told = self._is_listened_to, self._tell
        self._drawing = Drawing(self._texture, self._kind, self._aim, mode, self._showing, *told)
        self._schedule = schedule_of(base)
        self._schedule.add(self._drawing)
        base.finalExitCallbacks.append(self.destroy)

    def __enter__(self) -> "RenderPicture":
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    # Drawing.

    def queue_update(self) -> ReadFuture:
        """Draw in the next frame, whatever the update mode. Once, however often it is asked for until then.

        Returns:
            As `updated`.
        """
        future = self._drawing.queue()
        self._schedule.wake(self._drawing)
        return future

    @property
    def update_queued(self) -> bool:
        """True from `queue_update` on, until the frame that draws it is handed over to Panda."""
        return self._drawing.queued

    @property
    def updated(self) -> ReadFuture:
        """Done when the picture was really drawn; its result is then True. False if it will never be.

        For a manual picture it is of the draw that was queued last, or of the first one; else of the next
        draw. In the frame after each draw, the messenger sends `rtstamp-picture-updated` with the picture.
        Under a threading model both come when the frame is known to be drawn, three frames after it was
        handed over under Cull/Draw.
        """
        return self._drawing.updated

    def _is_listened_to(self) -> bool:
        return bool(self._base.messenger.who_accepts(UPDATED))

    def _tell(self) -> None:
        self._base.messenger.send(UPDATED, [self])

    # What it holds.

    @property
    def size(self) -> tuple[int, int]:
        """Texels, (width, height)."""
        return self._kind.width, self._kind.height

    @property
    def texture(self) -> Texture:
        """The picture, in premultiplied colour; the same texture always. See `update` on what asking does."""
        self._drawing.handed_out = True
        return self._texture

    @property
    def buffer(self) -> GraphicsOutput | None:
        """What it is drawn in. None without a window.

        Pipelines such as simplepbr's can be put over it, with the picture's `camera`. Their own buffers are
        drawn in every frame, whatever the update mode.
        """
        return self._drawing.buffer

    @property
    def camera(self) -> "NodePath[Camera]":
        """The picture's own, for pipelines. It follows the one that was given: move that one."""
        return self._aim.camera

    def image(self, gamma: float = 1.0) -> Bytes | None:
        """What the texture holds now: uint8 (height, width, 4), top row first, premultiplied.

        Renders nothing, but waits for the graphics card; under a threading model for some frames, which the
        game draws meanwhile, without this picture. Values are held to 0..1 and rounded half up.

        Args:
            gamma: 1: values are converted as they are: no tone mapping, no sRGB decoding. Otherwise colour is
                divided by alpha, raised to 1 / gamma, and multiplied again: 2.2 for linear colour.

        Returns:
            None if it was never drawn or cannot be read; the log says why.

        Raises:
            ConfigError: `gamma` is not a finite number above 0.
        """
        power = check_gamma(gamma)
        texels = self._drawing.read()
        return None if texels is None else to_image(texels, power)

    def array(self) -> Texels | None:
        """As `image`, but float32 as it is: (height, width, 4), or 3 without alpha."""
        texels = self._drawing.read()
        return None if texels is None else texels.copy()

    def image_async(self, gamma: float = 1.0) -> ReadFuture:
        """As `image`, of what the texture holds after the next frame, some frames later: nobody waits.

        Raises:
            ConfigError: as `image`.
        """
        power = check_gamma(gamma)
        future = self._drawing.request(lambda texels: to_image(texels, power))
        self._schedule.wake(self._drawing)
        return future

    def save(self, path: Any) -> bool:
        """Write what the texture holds now to a file. Waits, as `image` does.

        Args:
            path: ends in .png or .tiff: 8 bits, colour divided by alpha; or .exr: floats as they are,
                premultiplied, as is usual there.

        Returns:
            False if there is nothing to save; the log says why.

        Raises:
            ConfigError: `path` is no path, or ends otherwise.
            StoreError: the file cannot be written; what it held before stays.
        """
        file = check_path(path)
        texels = self._drawing.read()
        if texels is not None:
            write_picture(file, texels)
        return texels is not None

    # Who shows it.

    def card(self, width: float = 1.0) -> NodePath:
        """A card that shows it, around the origin in the XZ plane, facing -Y; lit by nobody.

        Copies of it, those that DirectGUI makes of its images too, are uses of the texture that are not
        known: tell of them by `shown_by`.

        Args:
            width: in scene units. The height follows from the size.

        Raises:
            ConfigError: `width` is not a number above 0.
        """
        across = float(_LENGTH.check("width", width))
        card = make_card(self._texture, across, across / self._kind.aspect, self._kind.transparent)
        self._showing.add(card)
        return card

    def onscreen_image(
        self, parent: NodePath | None = None, pos: Any = (0, 0, 0), scale: float = 1.0
    ) -> OnscreenImage:
        """A DirectGUI OnscreenImage that shows it.

        Args:
            parent: aspect2d by default.
            pos: of its middle.
            scale: half its height. The width follows from the size.

        Raises:
            ConfigError: `parent` is no NodePath or empty, `pos` not three numbers, or `scale` not above 0.
        """
        above = self._base.aspect2d if parent is None else check_node("parent", parent)
        half = float(_LENGTH.check("scale", scale))
        card = make_card(self._texture, 2.0 * self._kind.aspect, 2.0, self._kind.transparent)
        image = OnscreenImage(card, pos=check_point(pos), scale=half, parent=above)
        self._showing.add(image)
        return image

    def apply_to(self, node: NodePath, stage: TextureStage | None = None) -> None:
        """Put it on a node's subtree, with the right blend, until `release` or `destroy`.

        Args:
            stage: in place of which texture; None: the default stage.

        Raises:
            ConfigError: `node` is no NodePath or empty, or `stage` no TextureStage.
        """
        check_node("node", node)
        if stage is not None and not isinstance(stage, TextureStage):
            raise ConfigError(f"stage must be a TextureStage or None, got {type(stage).__name__}")
        self._showing.apply(node, self._texture, stage or TextureStage.get_default(), self._kind.transparent)

    def shown_by(self, node: NodePath) -> Texture:
        """Know that a node shows it in a way of its own, by a shader's input for example.

        Returns:
            The texture. Unlike asking for `texture`, this leaves no use of it unknown.

        Raises:
            ConfigError: `node` is no NodePath or empty.
        """
        self._showing.add(check_node("node", node))
        return self._texture

    def release(self, node: NodePath) -> None:
        """Know no more that a node shows it, and give it back as `apply_to` found it. Idempotent.

        What has the texture still, as a card that is not removed, is a use that is not known.

        Raises:
            ConfigError: `node` is no NodePath or empty.
        """
        self._showing.release(check_node("node", node))
        if self._texture in node.find_all_textures():
            self._drawing.handed_out = True

    def destroy(self) -> None:
        """Free the texture and give everything back. Idempotent."""
        self._showing.destroy()
        self._schedule.remove(self._drawing)
        self._drawing.destroy()
        self._aim.release()
        # For nodes that show it still.
        self._texture.set_clear_color(LVecBase4f(0.0))
        if self.destroy in self._base.finalExitCallbacks:
            self._base.finalExitCallbacks.remove(self.destroy)
