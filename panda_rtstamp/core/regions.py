"""Display regions of the window that are to go while a game runs."""

from collections.abc import Sequence
from typing import Any

from direct.task import Task
from panda3d.core import DisplayRegion, NodePath

from panda_rtstamp.core.context import Context


def remove_regions(context: Context, regions: Sequence[DisplayRegion]) -> None:
    """Take regions from the window, from the next frame on: where threads draw them still, some frames later.

    With `auto-flip` under a threading model they stay in the window, and show nothing: until it is closed, no
    moment is known at which its threads do not look through its regions.

    Args:
        context: of the window that they were made for, which may be closed.
    """
    for region in regions:
        region.set_active(False)
        # For the next one to take.
        region.set_sort(0)

    def remove(task: Any) -> int:
        if task.frame < context.frames_in_flight:
            return int(Task.cont)
        if context.engine.get_auto_flip():
            for region in regions:
                region.set_camera(NodePath())
            return int(Task.done)
        # Panda's threads look through a window's regions without a lock, and crash if one goes meanwhile.
        # This waits until they are done with the frame, as the next one would, and gives the lock of Python
        # to callbacks that they wait in.
        context.engine.flip_frame()
        take()
        return int(Task.done)

    def take() -> None:
        for region in regions:
            context.window.remove_display_region(region)

    if context.draws_in_app_thread or not context.window.is_valid():
        take()
    else:
        context.base.task_mgr.add(remove, "rtstamp-region-removal")
