"""Fixtures for all tests: one ShowBase a session, a fresh scene a test, and nothing left behind."""

import gc
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from panda3d.core import ClockObject, Filename, LColor, NodePath, load_prc_file_data

import support
from support import NotifyLog

# Longer than any capture is kept in flight before it is dropped.
FRAMES_TO_SETTLE = 10

support.configure(support.PROFILE)
_folder = tempfile.TemporaryDirectory(prefix="rtstamp-tests-")
_log = NotifyLog(Path(_folder.name, "notify.txt"))
# Not the user's: what it holds may be of another version of the unwrapper.
load_prc_file_data("tests cache", f"rtstamp-cache-dir {Filename.from_os_specific(_folder.name)}/unwrapped")
_failed = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long tests too")


def belongs_to_profile(item: pytest.Item) -> bool:
    """Whether a test runs in the profile at hand, by its markers."""
    marks = {mark.name for mark in item.iter_markers()}
    if support.PROFILE == "threads":
        return "threads" in marks
    if support.PROFILE == "x11":
        return bool(marks & {"x11", "profiles"})
    if support.PROFILE == "core":
        return "profiles" in marks
    return "profiles" in marks or not marks & {"x11", "threads"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    others = [item for item in items if not belongs_to_profile(item)]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if belongs_to_profile(item)]
    if not config.getoption("--full"):
        for item in items:
            if item.get_closest_marker("full"):
                item.add_marker(pytest.mark.skip(reason="long: runs only with --full"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show Notify's output with a failure, and let the leak check know that there was one."""
    report = yield
    if report.failed:
        item.stash[_failed] = True
        if _log.text:
            report.sections.append((f"Panda3D's log ({report.when})", _log.text))
    return report


def pytest_unconfigure() -> None:
    _log.close()
    _folder.cleanup()


@pytest.fixture(scope="session")
def base() -> Iterator[Any]:
    """The session's ShowBase, in the profile at hand; every frame takes 1/60 s."""
    result = support.make_base()
    yield result
    result.destroy()


@pytest.fixture
def notify() -> NotifyLog:
    """Notify's output: `.text` since the test began, `.allow(regex)` for warnings that the test causes."""
    return _log


@pytest.fixture
def scene(base: Any) -> Iterator[NodePath]:
    """A fresh node under render. It goes afterwards; camera, lens, render's state, clear colour are reset."""
    state = base.render.get_state()
    color = LColor(base.win.get_clear_color())
    root = base.render.attach_new_node("scene")
    yield root
    root.remove_node()
    base.render.set_state(state)
    base.win.set_clear_color(color)
    base.camera.reparent_to(base.render)
    base.camera.clear_transform()
    base.cam.clear_transform()
    base.cam.node().set_lens(base.camLens)


def _what_exists(base: Any) -> Counter[str]:
    """Everything that a test may forget to remove, by name."""
    engine = base.graphics_engine
    found = Counter(f"task {task.name}" for task in base.task_mgr.getAllTasks())
    found.update(f"window or buffer {window.get_name()}" for window in engine.get_windows())
    found.update(f"node {node}" for node in base.render.children)
    found["display regions of the window"] = base.win.get_num_display_regions()
    return found


@pytest.fixture(autouse=True)
def _leaves_nothing(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves nodes, tasks, buffers or regions behind, or that Panda warned during."""
    base = request.getfixturevalue("base") if "base" in request.fixturenames else None
    if base and support.frames_behind(base):
        # There the clock is a real one, and stood still while the cases of other tests ran by themselves.
        support.step(base)
    _log.restart()
    before = _what_exists(base) if base else Counter()
    yield
    if base:
        _settle(base)
    if request.node.stash.get(_failed, False):
        return
    if _log.problems:
        pytest.fail("\n".join(["Panda3D warned during the test:", *_log.problems]), pytrace=False)
    after = _what_exists(base) if base else before
    if after != before:
        pytest.fail(f"left behind: {dict(after - before)}; lost: {dict(before - after)}", pytrace=False)


def _settle(base: Any) -> None:
    """Let what was removed go, and the clock be as it was."""
    clock = ClockObject.get_global_clock()
    if not support.frames_behind(base) and abs(clock.dt - 1 / support.FRAME_RATE) > 1e-9:
        clock.dt = 1 / support.FRAME_RATE
    gc.collect()
    support.step(base, FRAMES_TO_SETTLE)
