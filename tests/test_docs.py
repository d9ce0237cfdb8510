"""The documentation says what is so: its code runs, its links lead somewhere, its tables are complete."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import panda_rtstamp
from panda_rtstamp import FurConfig, StampConfig, VisionConfig
from panda_rtstamp.core.config import Config, Rule
from panda_rtstamp.fur.config import defaults, own_fields
from support import ROOT, prc, run_case

PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
}
WITH_PYTHON = [name for name, text in PAGES.items() if "```python" in text]

_FENCE = re.compile(r"^```(\w*)$")
_MARKER = re.compile(r"^<!-- (fragment|file: [\w.-]+|command \d) -->$")
_LINK = re.compile(r"!?\[[^]]*]\(([^)]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)

# What each page's program is run with.
_BEFORE = """
import os
import sys
from direct.showbase.ShowBase import ShowBase
from panda3d.core import Filename, get_model_path

# What a page writes lands beside its program.
os.chdir(sys.argv[1])
get_model_path().append_directory(Filename.from_os_specific(sys.argv[1]))


def run(base):
    base.messenger.send("space")
    for _ in range(3):
        base.task_mgr.step()


ShowBase.run = run
"""


@dataclass(frozen=True)
class Block:
    """A fenced block, and what the comment in the line before it says."""

    line: int
    language: str
    marker: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    lines = PAGES[page].splitlines()
    start: int | None = None
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if start is None:
            start = number
            continue
        opening = _FENCE.match(lines[start])
        assert opening is not None
        marker = _MARKER.match(lines[start - 1])
        text = "\n".join(lines[start + 1 : number]) + "\n"
        yield Block(start + 1, opening.group(1), marker.group(1) if marker else "", text)
        start = None
    assert start is None, f"{page}:{start}: a block does not end"


def slugs(text: str) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    cleaned = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(text)]
    return {heading.strip().replace(" ", "-") for heading in cleaned}


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_of_a_known_kind(page: str) -> None:
    for block in blocks(page):
        where = f"{page}:{block.line}"
        assert block.language in ("", "python", "glsl"), where
        if block.language == "python":
            assert block.marker in ("", "fragment"), where
        if block.language == "glsl":
            assert block.marker.startswith("file: "), where


@pytest.mark.parametrize("page", WITH_PYTHON)
def test_python_runs(page: str, tmp_path: Path) -> None:
    """A page's blocks are one program; a fragment is at least Python."""
    program: list[str] = []
    for block in blocks(page):
        if block.marker.startswith("file: "):
            (tmp_path / block.marker.removeprefix("file: ")).write_text(block.text, encoding="utf-8")
        if block.language != "python":
            continue
        ast.parse(block.text)
        if block.marker != "fragment":
            # Blank lines before, so that a traceback names the page's line.
            lines_before = "\n" * (block.line - sum(text.count("\n") for text in program))
            program.append(lines_before + block.text)
    case = tmp_path / "page.py"
    case.write_text("".join(program), encoding="utf-8")
    code = f"{_BEFORE}\nexec(compile(open({str(case)!r}).read(), {page!r}, 'exec'))\n"
    if page == "README.md":
        code += "assert stamps.image(ball)[..., 3].max() > 0.5\n"
    run_case(code, profile="compat", args=[str(tmp_path)])


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in _LINK.findall(PAGES[page]):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        found = (ROOT / page).parent / path if path else ROOT / page
        assert found.exists(), f"{page}: {target}"
        if anchor:
            assert anchor in slugs(found.read_text(encoding="utf-8")), f"{page}: {target}"


def test_every_page_is_linked() -> None:
    linked = {target.partition("#")[0] for target in _LINK.findall(PAGES["README.md"])}
    assert set(PAGES) - {"README.md"} <= linked


def test_the_two_commands() -> None:
    commands = {block.marker: block.text for block in blocks("README.md") if block.marker}
    assert commands == {
        "command 1": "python3 dev.py sample\n",
        "command 2": "python3 dev.py test\n",
    }


def test_the_readme_begins_with_a_picture() -> None:
    assert PAGES["README.md"].splitlines()[0].endswith("](docs/shooter.jpg)")
    path = ROOT / "docs" / "shooter.jpg"
    assert path.stat().st_size < 600_000
    with Image.open(path) as picture:
        assert picture.size == (1200, 600)
        # It is no grey nothing.
        colors = picture.convert("RGB").getcolors(picture.width * picture.height)
        assert colors is not None
        assert len(colors) > 1000


def test_the_requirements_are_those_of_setup() -> None:
    setup = (ROOT / "setup.py").read_text(encoding="utf-8")
    assert 'python_requires=">=3.10"' in setup
    assert '"panda3d>=1.10.13"' in setup
    words = " ".join(PAGES["README.md"].split())
    assert "Needs Python 3.10 or newer, Panda3D 1.10.13 or newer" in words


def test_the_changelog_knows_this_version() -> None:
    assert f"## [{panda_rtstamp.__version__}]" in PAGES["CHANGELOG.md"]


# Of docs/configuration.md.
SECTIONS: dict[str, type[Config]] = {"Marks": StampConfig, "Vision masks": VisionConfig, "Fur": FurConfig}


def rules_of(heading: str) -> dict[str, Rule]:
    """The fields that a section's table has."""
    kind = SECTIONS[heading]
    return own_fields() if kind is FurConfig else kind.rules()


def defaults_of(heading: str) -> dict[str, Any]:
    """What fields are that nobody sets."""
    kind = SECTIONS[heading]
    if kind is FurConfig:
        return dict(defaults())
    # Without what these tests are run with.
    with prc("\n".join(rule.prc for rule in kind.rules().values())):
        return vars(kind())


def section(heading: str) -> str:
    """What a section of the page of settings says."""
    begin = PAGES["docs/configuration.md"].index(f"\n## {heading}\n") + 1
    return PAGES["docs/configuration.md"][begin:].partition("\n## ")[0]


@pytest.mark.parametrize("heading", SECTIONS)
def test_the_table_of_settings_is_complete(heading: str) -> None:
    found = re.findall(r"^\| `(\w+)` \| (.*) \|$", section(heading), re.MULTILINE)
    rows = {field: rest.split(" | ") for field, rest in found}
    rules, values = rules_of(heading), defaults_of(heading)
    assert list(rows) == list(rules)
    for field, (variable, default, allowed, cost, text) in rows.items():
        rule = rules[field]
        expected = [f"`{rule.prc}`", f"`{values[field]!r}`", rule.allowed, rule.cost]
        assert [variable, default, allowed, cost] == expected, field
        assert len(text.split()) >= 8, f"{field}: too little is said of it"


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_cost_is_explained(heading: str) -> None:
    explained = set(re.findall(r"^\| (\w+) \| ", section(heading), re.MULTILINE)) - {"Word", "Field"}
    assert explained == {rule.cost for rule in rules_of(heading).values()}


def messages() -> list[str]:
    """Every text in the package's sources, with dots for what is filled in."""
    found = []
    for path in (ROOT / "panda_rtstamp").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
                found.append("".join(str(part) for part in parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return found


def test_messages_in_troubleshooting_are_ours() -> None:
    """A heading that quotes a message quotes it as it is written now."""
    quoted = re.findall(r"^### `(.+)`$", PAGES["docs/troubleshooting.md"], re.MULTILINE)
    known = messages()
    for heading in quoted:
        assert any(heading.strip("… ") in message for message in known), heading
    assert len(quoted) > 10
