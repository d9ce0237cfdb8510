"""Every shader file opens with what it is for, and its lines fit a screen."""

from pathlib import Path

import pytest

from support import ROOT

FILES = sorted(path for path in (ROOT / "shaders").rglob("*.*") if path.suffix in (".vert", ".frag", ".glsl"))
LONGEST = 110


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_lines(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, 1) if len(line) > LONGEST] == []
    opening = lines[1] if lines[0].startswith("#version") else lines[0]
    assert opening.startswith("// "), path
