"""All nodes that draw one coat: made anew where what they are made of changed, taken away in the end."""

from collections.abc import Iterable
from dataclasses import dataclass

from panda3d.core import GraphicsEngine, GraphicsStateGuardian, LODNode, NodePath, PandaNode

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.core.shader import check_shader
from panda_rtstamp.errors import ShaderError
from panda_rtstamp.fur.sections import SectionKey
from panda_rtstamp.fur.shells import FRAGMENT_SHADER, VERTEX_SHADER, Shells


@dataclass
class _Part:
    """What draws the coat of one section on one GeomNode; `node`: None where nothing is to be drawn."""

    signature: tuple[object, ...]
    uniforms: dict[str, object]
    node: PandaNode | None

    def stands(self, shells: Shells) -> bool:
        """True if it is what would be made now, but for shader inputs."""
        gone = self.node is not None and self.node.get_num_parents() == 0
        return not gone and self.signature == shells.signature

    def set_uniforms(self, shells: Shells) -> None:
        """Bring shader inputs up to date."""
        if self.node is not None and self.uniforms != shells.uniforms:
            shells.set_uniforms(self.node)
        self.uniforms = shells.uniforms

    def remove(self) -> None:
        """Take it out of the scene."""
        if self.node is not None:
            for parent in list(self.node.get_parents()):
                parent.remove_child(self.node)


class Parts:
    """The nodes."""

    def __init__(self) -> None:
        self._parts: dict[tuple[int, SectionKey], _Part] = {}

    def update(self, wanted: Iterable[Shells]) -> None:
        """Have these and no others."""
        before, self._parts = self._parts, {}
        for shells in wanted:
            key = address(shells.source.node), shells.source.key
            part = before.pop(key, None)
            if part is not None and part.stands(shells):
                part.set_uniforms(shells)
            else:
                if part is not None:
                    part.remove()
                part = _make_part(shells)
            self._parts[key] = part
        for part in before.values():
            part.remove()

    def show(self, shown: bool) -> None:
        """Draw them or not."""
        for part in self._parts.values():
            if part.node is not None and part.node.is_overall_hidden() == shown:
                part.node.set_overall_hidden(not shown)


def _make_part(shells: Shells) -> _Part:
    node = shells.make() if _can_draw(shells) else None
    if node is not None:
        shells.source.node.add_child(node)
    return _Part(shells.signature, shells.uniforms, node)


def level_of(path: NodePath) -> int | None:
    """The level of detail that a node belongs to, from 0, by the nearest LODNode; None without one."""
    while path.has_parent():
        above = path.get_parent().node()
        if isinstance(above, LODNode):
            index = above.find_child(path.node())
            near = [above.get_out(number) for number in range(above.get_num_switches())]
            return sum(other < near[index] for other in near) if index < len(near) else 0
        path = path.get_parent()
    return None


def _can_draw(shells: Shells) -> bool:
    """Whether the driver takes the shaders. Under a threading model it cannot be asked."""
    gsg = _graphics()
    if gsg is None:
        return True
    if not gsg.get_supports_glsl():
        warn_once("fur glsl", "no coats are drawn: they need shaders in GLSL, which this display lacks")
        return False
    try:
        for index in shells.source.indices:
            check_shader(gsg, VERTEX_SHADER, FRAGMENT_SHADER, shells.defines(index))
    except ShaderError as error:
        warn_once("fur shader", f"no coats are drawn: {error}")
        return False
    return True


def _graphics() -> GraphicsStateGuardian | None:
    """The graphics context that draws in this thread; None if there is none."""
    for window in GraphicsEngine.get_global_ptr().get_windows():
        gsg = window.get_gsg()
        if gsg is not None and window.is_valid():
            return gsg if gsg.get_threading_model().get_draw_name() == "" else None
    return None
