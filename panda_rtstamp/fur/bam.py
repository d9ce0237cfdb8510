"""Models in .bam files, written as a whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from panda3d.core import Filename, NodePath

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.tags import OVERLAY_TAG
from panda_rtstamp.errors import ConfigError, StoreError

_ENDINGS = (".bam", ".bam.pz")


def write_bam(node: NodePath, path: Path) -> None:
    """Write a node and all below it but what we draw there, in place of what the file held before.

    Raises:
        ConfigError: the path does not end in .bam or .bam.pz.
        StoreError: it cannot be written, or there is no node any more.
    """
    if node.is_empty():
        raise StoreError(f"the model cannot be saved in {path}: it was removed")
    if not path.name.endswith(_ENDINGS):
        raise ConfigError(f"path must end in {' or '.join(_ENDINGS)}, got {path}")
    # Under another name first: a program may be killed while it writes. Panda looks at the ending.
    draft = path.with_name(f".{os.getpid()}.part.{path.name}")
    try:
        with _guests_away(node):
            written = path.parent.is_dir() and node.write_bam_file(
                Filename.from_os_specific(str(draft.resolve()))
            )
        if not written:
            raise StoreError(
                f"the model cannot be saved in {path}: see Panda3D's log, and whether its folder is there"
            )
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"the model cannot be saved in {path}: {error}") from error
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _guests_away(node: NodePath) -> Iterator[None]:
    """Take coats, strands and marks out of the model meanwhile: .bam files hold no shaders."""
    guests: dict[tuple[int, int], NodePath] = {}
    for path in node.find_all_matches(f"**/={OVERLAY_TAG}"):
        parent = path.get_parent()
        # What is below one goes with it; and of several paths to one, the first leads there.
        if not parent.node().has_tag(OVERLAY_TAG):
            guests.setdefault((address(parent.node()), address(path.node())), path)
    # In the order in which they are among their siblings, so that they come back in it.
    there = sorted(guests.values(), key=lambda path: path.get_parent().node().find_child(path.node()))
    places = [(path, path.get_parent(), path.get_sort()) for path in there]
    for path, _, _ in places:
        path.detach_node()
    try:
        yield
    finally:
        for path, parent, sort in places:
            path.reparent_to(parent, sort)
