"""Reading render targets into numpy: at once, which waits for the graphics card, or some frames later."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from panda3d.core import AsyncFuture, RenderState, Texture

from panda_rtstamp.core.card import Card, card_camera
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.target import Format, RenderTarget
from panda_rtstamp.errors import RtStampError

# Frames after which a graphics card has drawn what it was given.
_LATE = 3
# Targets that are kept for the next request.
_MOST_FREE = 8
_TYPES = {1: (np.uint8, 255.0), 2: (np.uint16, 65535.0), 4: (np.float32, 1.0)}


def read_texture(context: Context, texture: Texture) -> npt.NDArray[np.float32] | None:
    """What a render target holds: float32 (height, width, channels), R G B A, row 0 at v = 0.

    None if the driver cannot read it.
    """
    if not context.engine.extract_texture_data(texture, context.gsg):
        return None
    image = _to_numpy(texture)
    # The extracted copy must go at once, or the next use of the texture uploads it over what was drawn since.
    texture.clear_ram_image()
    return image


def _to_numpy(texture: Texture) -> npt.NDArray[np.float32]:
    """The texels that are in RAM, as `read_texture` gives them."""
    kind, scale = _TYPES[texture.get_component_width()]
    if texture.get_component_type() == Texture.T_half_float:
        kind, scale = np.float16, 1.0
    shape = texture.get_y_size(), texture.get_x_size(), texture.get_num_components()
    image = np.frombuffer(bytes(texture.get_ram_image()), kind).reshape(shape).astype(np.float32) / scale
    # A target whose size is no power of two may lie in a corner of a larger texture.
    image = image[: shape[0] - texture.get_pad_y_size(), : shape[1] - texture.get_pad_x_size()]
    return image[..., [2, 1, 0, 3][: shape[2]]] if shape[2] >= 3 else image


class ReadFuture:
    """What will be known: `await` it in a coroutine task, or look at `done()` and take `result()`.

    Panda's own AsyncFuture, which it waits by, takes no numpy arrays for results.
    """

    def __init__(self) -> None:
        self._future = AsyncFuture()
        self._value: Any = None

    def done(self) -> bool:
        """True once there is a result."""
        return bool(self._future.done())

    def result(self) -> Any:
        """The result. Raises RtStampError if there is none yet: to wait here would stop what it waits for."""
        if not self.done():
            raise RtStampError("there is no result yet: await it, or ask done() in a later frame")
        return self._value

    def set_result(self, value: Any) -> None:
        """Give the result. Once; whoever waited may have gone."""
        self._value = value
        if not self._future.done():
            self._future.set_result(None)

    def __await__(self) -> Generator[Any, None, Any]:
        yield from self._future.__await__()
        return self._value


Finish = Callable[[npt.NDArray[np.float32]], Any]


@dataclass
class _Request:
    frame: int
    target: RenderTarget
    finish: Finish
    future: ReadFuture
    nothing: Any


class Readback:
    """Reads what cards draw, frames later, when the graphics card has done it and nobody waits.

    Under a threading model the draw thread brings the texels to RAM when it has drawn them. To extract them
    from here would wait for that thread, with Python's lock held: for ever, if that thread waits for it in a
    callback of the game's.

    Args:
        context: whose graphics draws.
        sort: of its targets, among the window's buffers.
    """

    def __init__(self, context: Context, sort: int) -> None:
        self._context = context
        self._sort = sort
        self._requests: list[_Request] = []
        self._free: list[RenderTarget] = []
        self._read: list[RenderTarget] = []  # whose passes are to end

    def request(
        self,
        state: RenderState,
        size: int,
        format: Format,
        finish: Finish,
        future: ReadFuture,
        nothing: Any = None,
        height: int | None = None,
    ) -> None:
        """Draw a card in this frame, and read it some frames later.

        Args:
            state: of the card, with a shader whose vertex stage is card.VERTEX_SHADER.
            size, format: of the target it is drawn into: texels across, and upwards too without `height`.
            finish: is given the target's texels, as `read_texture` gives them.
            future: is given what `finish` returns.
            nothing: is given instead if the window is closed before.
            height: texels upwards.
        """
        target = self._take(size, format, height)
        target.draw(card_camera("rtstamp-readback", [Card(state)]), clear=True)
        self._requests.append(_Request(self._context.frame, target, finish, future, nothing))

    def read(
        self, state: RenderState, size: int, format: Format, height: int | None = None
    ) -> npt.NDArray[np.float32] | None:
        """Draw a card and read it now: frames are drawn until it is done. None if the driver cannot read it.

        Args:
            state, size, format, height: as for `request`.
        """
        target = self._take(size, format, height)
        target.draw(card_camera("rtstamp-readback", [Card(state)]), clear=True)
        for _ in range(self._context.frames_in_flight):
            self._context.engine.render_frame()
        self._read.append(target)
        return self._texels(target)

    def _texels(self, target: RenderTarget) -> npt.NDArray[np.float32] | None:
        if not target.to_ram:
            return read_texture(self._context, target.texture)
        return _to_numpy(target.texture) if target.texture.has_ram_image() else None

    def _take(self, size: int, format: Format, height: int | None) -> RenderTarget:
        wanted = size, height or size, format
        fitting = [each for each in self._free if (each.size, each.height, each.format) == wanted]
        if fitting:
            self._free.remove(fitting[0])
            return fitting[0]
        to_ram = not self._context.draws_in_app_thread
        return RenderTarget(
            self._context, "rtstamp-readback", size, format, self._sort, height, to_ram=to_ram
        )

    def tick(self) -> None:
        """Read what is due. To be called once a frame."""
        for target in [*(request.target for request in self._requests), *self._read]:
            target.collect()
        self._free += [target for target in self._read if not target.busy]
        self._read = [target for target in self._read if target.busy]
        late = self._context.frame - _LATE - self._context.frames_in_flight
        due = [request for request in self._requests if request.frame <= late]
        self._requests = [request for request in self._requests if request.frame > late]
        for request in due:
            texels = self._texels(request.target)
            request.future.set_result(request.nothing if texels is None else request.finish(texels))
            self._free.append(request.target)
        while len(self._free) > _MOST_FREE:
            self._free.pop(0).destroy()

    @property
    def busy(self) -> bool:
        """True while `tick` is to be called."""
        return bool(self._requests or self._read)

    def destroy(self) -> None:
        """Free all targets; what waits is answered. Idempotent."""
        for request in self._requests:
            request.target.destroy()
            request.future.set_result(request.nothing)
        for target in self._free + self._read:
            target.destroy()
        self._requests.clear()
        self._free.clear()
        self._read.clear()
