"""Overlays over main scenes that are filtered: they come after the filters, and change nothing of them."""

import pytest

from support import PROFILE, TESTS, run_case

pytestmark = pytest.mark.profiles

CASE = TESTS / "overlay" / "overlay_filters_case.py"


def check(name: str, first: str) -> None:
    assert run_case(CASE, args=[name, first]).split() == ["done"]


@pytest.mark.parametrize("first", ["overlay", "filter"])
def test_filter_manager(first: str) -> None:
    check("manager", first)


def test_a_window_with_several_samples_a_pixel() -> None:
    check("msaa", "filter")


@pytest.mark.threads
@pytest.mark.skipif(PROFILE not in ("x11", "threads"), reason="needs Cg")
@pytest.mark.parametrize("first", ["overlay", "filter"])
def test_common_filters(first: str) -> None:
    check("common", first)


@pytest.mark.skipif(PROFILE == "x11", reason="runs without a window")
@pytest.mark.parametrize("name", ["simplepbr", "simplepbr-msaa"])
def test_simplepbr(name: str) -> None:
    check(name, "filter")
