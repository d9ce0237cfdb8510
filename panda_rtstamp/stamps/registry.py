"""The bindings of one window: which nodes they mark, and which of them need something in each frame."""

from panda3d.core import NodePath

from panda_rtstamp.core.anchor import Key, key_of
from panda_rtstamp.stamps.binding import StampBinding


class Registry:
    """All bindings, by the keys of their nodes.

    Attributes:
        all: in the order in which their nodes were first hit.
        due: those with hits to capture.
        textbook: those whose fade is stored in every frame.
        unready: those whose surfaces are being unwrapped.
        hanging: those whose overlays hang above what they cover.
    """

    def __init__(self) -> None:
        self.all: dict[Key, StampBinding] = {}
        self.due: dict[Key, StampBinding] = {}
        self.textbook: dict[Key, StampBinding] = {}
        self.unready: dict[Key, StampBinding] = {}
        self.hanging: dict[Key, StampBinding] = {}

    def covering(self, node: NodePath) -> StampBinding | None:
        """The binding of the node, or of its nearest ancestor that has one."""
        way: set[Key] = set()
        while not node.is_empty():
            key = key_of(node)
            way.add(key)
            binding = self.all.get(key)
            if binding is not None and binding.alive and not binding.left_out & way:
                return binding
            node = node.get_parent()
        return None

    def below(self, node: NodePath) -> list[StampBinding]:
        """Those of nodes below this one."""
        return [
            binding
            for binding in self.all.values()
            if not (path := binding.node).is_empty() and node.is_ancestor_of(path) and node != path
        ]

    def add(self, binding: StampBinding) -> None:
        """Take a new one, whose node may be one that another binding had left out."""
        key = binding.key
        for outer in self.all.values():
            if key in outer.left_out:
                outer.left_out.discard(key)
                outer.nest([*outer.nested, binding])
        self.all[key] = binding
        self.watch(binding)

    def watch(self, binding: StampBinding) -> None:
        """Look at a binding in every frame, if it is one of the few that need it."""
        if binding.textbook:
            self.textbook[binding.key] = binding
        if not binding.ready:
            self.unready[binding.key] = binding
        self.hanging.pop(binding.key, None)
        if binding.hangs:
            self.hanging[binding.key] = binding

    def remove(self, binding: StampBinding) -> None:
        """Know it no more."""
        for known in (self.all, self.due, self.textbook, self.unready, self.hanging):
            known.pop(binding.key, None)
