"""Display regions of the window that are to go while a game runs."""

from collections.abc import Sequence
from typing import Any

from direct.task import Task
from panda3d.core import DisplayRegion

from panda_rtstamp.core.context import Context


def remove_regions(context: Context, regions: Sequence[DisplayRegion]) -> None:
    """Take regions from the window, from the next frame on: where threads draw them still, some frames later.

    Args:
        context: of the window that they were made for, which may be closed.
    """
    for region in regions:
        region.set_active(False)
        # For the next one to take.
        region.set_sort(0)

    def remove(task: Any) -> int:
        if task is not None and task.frame < context.frames_in_flight:
            return int(Task.cont)
        for region in regions:
            context.window.remove_display_region(region)
        return int(Task.done)

    if context.draws_in_app_thread or not context.window.is_valid():
        remove(None)
    else:
        context.base.task_mgr.add(remove, "rtstamp-region-removal")
