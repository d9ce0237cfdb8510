"""What clips and dims have in common: a layer on every GeomNode below a node, and where the mask lies."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from panda3d.core import (
    NodePath,
    PandaNode,
    PTA_LVecBase4f,
    RenderState,
    TexMatrixAttrib,
    Texture,
    TextureStage,
)

from panda_rtstamp.core import layers
from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.arguments import check_node
from panda_rtstamp.core.layers import Layered, look_of
from panda_rtstamp.core.subtree import GeomNodes, Subtree, hangs_below
from panda_rtstamp.vision.additions import (
    MaskInputs,
    shader_to_wrap,
    with_wrapped,
    without_stages,
    without_wrapped,
)

# So many GeomNodes are asked in an update whether a game has set the states of their Geoms.
CHECKED = 32


class Consumer(ABC):
    """A layer on all GeomNodes at and below a node, those too that come later.

    Of several instances of one GeomNode all have the layer, wherever they hang.

    Args:
        node: its whole subtree is meant.
        inputs: the mask.
        fragment: what is appended to the fragment shader of what has one.
        values: the inputs of that, beside the mask's.
        stages: the texture stages that read the mask, for what has no shader.

    Raises:
        ConfigError: the node is empty.
        SurfaceError: something below the node has a shader that cannot be wrapped. Nothing was changed.
        ShaderError: Panda refuses what the wrapping gives. Nothing was changed.
    """

    def __init__(
        self,
        node: NodePath,
        inputs: MaskInputs,
        fragment: str,
        values: Mapping[str, float | Texture],
        stages: Sequence[TextureStage],
    ) -> None:
        check_node("node", node)
        self.inputs = inputs
        self._fragment = fragment
        self._values: dict[str, float | Texture | PTA_LVecBase4f] = {
            **inputs.values,
            **values,
        }
        self._stages = stages
        self._covered: dict[int, Layered] = {}
        # Of these, those whose turn is still to come.
        self._unchecked: list[Layered] = []
        self._subtree = Subtree()
        self._net = node.get_net_state()
        self._look = look_of(self._net)
        # Whether anything is drawn by the stages.
        self._is_staged = False
        self._rect: tuple[float, ...] = ()
        self._placed: TexMatrixAttrib | None = None
        found: GeomNodes = {}
        self._subtree.look(node.node(), True, found, {})
        for geom_node in found.values():
            layers.check(geom_node, self)
        self._anchor = Anchor(node)
        self._lay(found)
        self._place(node.node())

    @property
    def alive(self) -> bool:
        """False once the node was destroyed, or this was released."""
        return self._anchor.alive

    def update(self) -> None:
        """Follow what changed: once a frame, before it is drawn.

        What is done on nodes shows at once, and costs a look at those nodes beside which one was added,
        removed, moved or set. States that a game sets on Geoms themselves leave no trace elsewhere: a share
        of the GeomNodes is asked for them in each update, so among many it takes some frames until one is
        followed. A window that moved costs one attribute of the node.
        """
        path = self._anchor.node()
        if path.is_empty():
            self.release()
            return
        node = path.node()
        found: GeomNodes = {}
        gone: GeomNodes = {}
        self._subtree.look(node, self._look_changed(path), found, gone)
        # First those that came, which may be copies of those that went.
        self._lay(found)
        if gone:
            self._take_off([key for key, part in gone.items() if not hangs_below(part, node)])
            layers.clean((), self)
        self._check_some()
        self._place(node)

    def _look_changed(self, path: NodePath) -> bool:
        """Whether layers are to be laid otherwise, for what is set on the node or above it."""
        net, before = path.get_net_state(), self._look
        if net != self._net:
            self._net, self._look = net, look_of(net)
        return self._look != before

    def _check_some(self) -> None:
        if not self._unchecked:
            self._unchecked = list(self._covered.values())
        for covered in self._unchecked[-CHECKED:]:
            if not covered.intact:
                covered.refresh()
        del self._unchecked[-CHECKED:]

    def _lay(self, found: GeomNodes) -> None:
        for key, node in found.items():
            if key in self._covered:
                self._covered[key].refresh()
            else:
                self._covered[key] = layers.add(node, self)

    def _take_off(self, keys: Iterable[int]) -> None:
        for key in keys:
            self._covered.pop(key).remove(self)

    def _place(self, node: PandaNode) -> None:
        """Let the stages read the mask where its window is now.

        Said once, on the node: a stage's transform is inherited.
        """
        if not self._is_staged:
            return
        slot = TexMatrixAttrib.get_class_slot()
        own, rect = node.get_attrib(slot), tuple(self.inputs.rect[0])
        if rect == self._rect and own == self._placed:
            return
        placed = own if isinstance(own, TexMatrixAttrib) else TexMatrixAttrib.make()
        for stage in self._stages:
            placed = placed.add_stage(stage, self.inputs.transform)
        node.set_attrib(placed, node.get_state().get_override(slot))
        self._rect, self._placed = rect, placed

    def _displace(self, node: PandaNode) -> None:
        slot = TexMatrixAttrib.get_class_slot()
        attrib = node.get_attrib(slot)
        if not isinstance(attrib, TexMatrixAttrib):
            return
        for stage in self._stages:
            attrib = attrib.remove_stage(stage)
        if attrib.is_empty():
            node.clear_attrib(slot)
        else:
            node.set_attrib(attrib, node.get_state().get_override(slot))

    def release(self) -> None:
        """Leave all nodes as they were found, but for what was changed meanwhile. Idempotent."""
        self._take_off(list(self._covered))
        left: GeomNodes = {}
        path = self._anchor.remains()
        if not path.is_empty():
            self._displace(path.node())
            Subtree().look(path.node(), True, left, {})
        layers.clean(left.values(), self)
        self._anchor.release()

    def on(self, net: RenderState, own: RenderState, number: int) -> RenderState:
        """See core.layers.Layer."""
        shader = shader_to_wrap(net, self.inputs)
        if shader is None:
            self._is_staged = True
            return self._staged(net, own)
        return with_wrapped(net, own, shader, self._fragment, self._values, number)

    def off(self, own: RenderState) -> RenderState:
        """See core.layers.Layer."""
        return without_wrapped(without_stages(own))

    @abstractmethod
    def _staged(self, net: RenderState, own: RenderState) -> RenderState:
        """A Geom's own state with texture stages, for fixed function and the generator."""
