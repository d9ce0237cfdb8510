"""Models in .bam files, written as a whole or not at all."""

import os
from pathlib import Path

from panda3d.core import Filename, NodePath

from panda_rtstamp.errors import ConfigError, StoreError

_ENDINGS = (".bam", ".bam.pz")


def write_bam(node: NodePath, path: Path) -> None:
    """Write a node and all below it, in place of what the file held before.

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
        if not path.parent.is_dir() or not node.write_bam_file(
            Filename.from_os_specific(str(draft.resolve()))
        ):
            raise StoreError(
                f"the model cannot be saved in {path}: see Panda3D's log, and whether its folder is there"
            )
        draft.replace(path)
    except OSError as error:
        raise StoreError(f"the model cannot be saved in {path}: {error}") from error
    finally:
        draft.unlink(missing_ok=True)
