"""What clips and dims have in common: a layer on every GeomNode below a node, and where the mask lies."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from panda3d.core import (
    GeomNode,
    NodePath,
    PandaNode,
    PTA_LVecBase4f,
    RenderState,
    TexMatrixAttrib,
    Texture,
    TextureStage,
)

from panda_rtstamp.core import layers
from panda_rtstamp.core.anchor import Anchor, address
from panda_rtstamp.core.arguments import check_node
from panda_rtstamp.core.layers import Layered, look_of
from panda_rtstamp.core.subtree import Subtree
from panda_rtstamp.vision.additions import (
    MaskInputs,
    shader_to_wrap,
    with_wrapped,
    without_stages,
    without_wrapped,
)


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
            "rtstamp_mask": inputs.texture,
            "rtstamp_mask_rect": inputs.rect,
            "rtstamp_mask_beyond": inputs.beyond,
            **values,
        }
        self._stages = stages
        self._covered: dict[int, Layered] = {}
        self._subtree = Subtree()
        self._look = look_of(node.get_net_state())
        self._rect: tuple[float, ...] = ()
        self._placed: TexMatrixAttrib | None = None
        found: dict[int, GeomNode] = {}
        self._subtree.look(node.node(), True, found)
        for geom_node in found.values():
            layers.check(geom_node, self)
        self._anchor = Anchor(node)
        self._place(node.node())
        self._lay(found)

    @property
    def alive(self) -> bool:
        """False once the node was destroyed, or this was released."""
        return self._anchor.alive

    def update(self) -> None:
        """Follow what changed: once a frame, before it is drawn.

        Costs a look at the states of the Geoms, and at those nodes below the node beside which one was added,
        removed, moved or set. A window that moved costs one attribute of the node.
        """
        path = self._anchor.node()
        if path.is_empty():
            self.release()
            return
        node = path.node()
        self._place(node)
        look = look_of(path.get_net_state())
        found: dict[int, GeomNode] = {}
        gone = self._subtree.look(node, look != self._look, found)
        self._look = look
        # First those that came, which may be copies of those that went.
        self._lay(found)
        if gone:
            self._take_off(self._covered.keys() - {address(node), *self._subtree.geom_nodes()})
            layers.clean((), self)
        for covered in self._covered.values():
            if not covered.intact:
                covered.refresh()

    def _lay(self, found: Mapping[int, GeomNode]) -> None:
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
        left: dict[int, GeomNode] = {}
        path = self._anchor.remains()
        if not path.is_empty():
            self._displace(path.node())
            Subtree().look(path.node(), True, left)
        layers.clean(left.values(), self)
        self._anchor.release()

    def on(self, net: RenderState, own: RenderState, number: int) -> RenderState:
        """See core.layers.Layer."""
        shader = shader_to_wrap(net, self.inputs)
        if shader is None:
            return self._staged(net, own)
        return with_wrapped(net, own, shader, self._fragment, self._values, number)

    def off(self, own: RenderState) -> RenderState:
        """See core.layers.Layer."""
        return without_wrapped(without_stages(own))

    @abstractmethod
    def _staged(self, net: RenderState, own: RenderState) -> RenderState:
        """A Geom's own state with texture stages, for fixed function and the generator."""
