"""Names of nodes that hold in another process: after a restart, or on another machine with the same scene."""

from dataclasses import dataclass

from panda3d.core import NodePath

from panda_rtstamp.core.packing import Reader, Writer

ID_TAG = "rtstamp-id"


@dataclass(frozen=True)
class NodeName:
    """The way down to a node.

    Attributes:
        tag: the value of ID_TAG where the way begins; None if it begins at the top of the scene.
        steps: for each node on the way its name, and its number among those of its siblings that bear it.
    """

    tag: str | None
    steps: tuple[tuple[str, int], ...]

    def __str__(self) -> str:
        steps = [name if number == 0 else f"{name}[{number}]" for name, number in self.steps]
        return "/".join([f"({ID_TAG} {self.tag})"] * (self.tag is not None) + steps) or "the scene itself"

    def write(self, writer: Writer) -> None:
        """As bytes."""
        writer.put("BH", self.tag is not None, len(self.steps))
        if self.tag is not None:
            writer.put_text(self.tag)
        for name, number in self.steps:
            writer.put_text(name)
            writer.put("I", number)

    @staticmethod
    def read(reader: Reader) -> "NodeName":
        """Raises MalformedError."""
        tagged, count = reader.take("BH")
        tag = reader.take_text() if tagged else None
        return NodeName(tag, tuple((reader.take_text(), *reader.take("I")) for _ in range(count)))


def name_of(node: NodePath, root: NodePath) -> NodeName | None:
    """The name of a node; None if it does not hang below `root` and neither it nor a node above is tagged.

    Args:
        root: the top of the scene.
    """
    steps: list[tuple[str, int]] = []
    while not node.has_tag(ID_TAG):
        if not node.has_parent():
            return NodeName(None, tuple(reversed(steps))) if node == root else None
        steps.append((node.get_name(), _number(node)))
        node = node.get_parent()
    return NodeName(node.get_tag(ID_TAG), tuple(reversed(steps)))


def find_node(name: NodeName, root: NodePath) -> NodePath:
    """The node at or below `root` that bears a name; an empty NodePath if there is none."""
    node = root if name.tag is None else _find_tagged(name.tag, root)
    for step, number in name.steps:
        if node.is_empty():
            break
        node = _child(node, step, number)
    return node


def _find_tagged(tag: str, root: NodePath) -> NodePath:
    # Compared here: a pattern of Panda's would read some characters of the value in ways of its own.
    found = (path for path in [root, *root.find_all_matches(f"**/={ID_TAG}")] if path.get_tag(ID_TAG) == tag)
    return next(found, NodePath())


def _child(node: NodePath, name: str, number: int) -> NodePath:
    named = [child for child in _children(node) if child.get_name() == name]
    return named[number] if number < len(named) else NodePath()


def _number(node: NodePath) -> int:
    before = 0
    name = node.get_name()
    for sibling in _children(node.get_parent()):
        if sibling == node:
            break
        before += sibling.get_name() == name
    return before


def _children(node: NodePath) -> list[NodePath]:
    """Stashed ones after the others."""
    return [*node.get_children(), *node.get_stashed_children()]
