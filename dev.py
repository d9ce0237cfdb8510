#!/usr/bin/env python3
"""Everything a checkout needs, in one command each. Makes and reuses `.venv` beside this file.

python3 dev.py sample [name] [arguments]  runs the shooter, or that sample (into pictures without a display)
python3 dev.py test [--full] [arguments]  runs the tests in every profile; arguments go to pytest
python3 dev.py check                      runs ruff and mypy
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
# The profiles (tests/support.py says what they set up); True where one needs a window.
PROFILES = {"compat": False, "core": False, "x11": True, "threads": True}
NO_TESTS_SELECTED = 5  # pytest's exit code


class Result(NamedTuple):
    """What one profile's tests came to."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""


def venv_python() -> Path:
    """The interpreter of `.venv`."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def run(*command: object) -> None:
    """Run a command in the checkout; leave with its exit code if it fails."""
    code = subprocess.call([str(word) for word in command], cwd=ROOT)
    if code:
        raise SystemExit(code)


def make_venv() -> None:
    """Make `.venv`, or make it anew where it is broken or half made."""
    if venv_python().is_file():
        check = subprocess.run([venv_python(), "-m", "pip", "--version"], capture_output=True, check=False)
        if check.returncode == 0:
            return
    if importlib.util.find_spec("ensurepip") is None:
        raise SystemExit(
            "This Python cannot make virtual environments: install its venv package "
            "(Debian, Ubuntu: apt-get install python3-venv) and run this again."
        )
    print(f"Making a virtual environment in {VENV.name}", flush=True)
    run(sys.executable, "-m", "venv", "--clear", VENV)


def install(extra: str) -> Path:
    """Install the checkout with one of its extras, unless that was done since setup.py last changed."""
    stamp = VENV / f"installed-{extra}.txt"
    wanted = hashlib.sha256((ROOT / "setup.py").read_bytes()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != wanted:
        make_venv()
        print(f"Installing panda_rtstamp[{extra}] into {VENV.name} (minutes, the first time)", flush=True)
        pip = (venv_python(), "-m", "pip", "install", "-qq", "--disable-pip-version-check")
        run(*pip, "--editable", f".[{extra}]")
        stamp.write_text(wanted)
    return venv_python()


@contextmanager
def virtual_display() -> Iterator[dict[str, str]]:
    """An X server without a screen; gives the environment variables that use it."""
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1280x1024x24"]
    command += ["+extension", "GLX", "-noreset", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    try:
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise SystemExit("Xvfb did not start")
        yield {"DISPLAY": f":{number}", "LIBGL_ALWAYS_SOFTWARE": "1"}
    finally:
        server.terminate()
        server.wait()


def read_report(path: Path, code: int) -> Result:
    """The counts in a junit file; a pytest that failed without saying which test did is one failure."""
    if not path.is_file():
        return Result(failed=1, note=f"pytest ended with code {code} and no report")
    passed = failed = skipped = 0
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        left_out = int(suite.get("skipped", 0))
        passed += int(suite.get("tests", 0)) - bad - left_out
        failed += bad
        skipped += left_out
    if code and not failed:
        return Result(passed, 1, skipped, f"pytest ended with code {code}")
    return Result(passed, failed, skipped)


def run_profile(profile: str, arguments: list[str], report: Path, log: Path | None = None) -> Result:
    """Run pytest once, in the environment that the profile needs; what it says goes to a `log`, if given."""
    needs_window = PROFILES[profile]
    if needs_window and (sys.platform != "linux" or shutil.which("Xvfb") is None):
        in_ci = os.environ.get("CI") == "true"
        return Result(failed=int(in_ci), note="left out: needs Linux with Xvfb on PATH")
    display: AbstractContextManager[dict[str, str]] = virtual_display() if needs_window else nullcontext({})
    command = [str(venv_python()), "-m", "pytest", f"--junitxml={report}", *arguments]
    with display as extra, log.open("wb") if log else nullcontext() as output:
        variables = {**os.environ, **extra, "RTSTAMP_PROFILE": profile}
        code = subprocess.call(command, cwd=ROOT, env=variables, stdout=output, stderr=subprocess.STDOUT)
    narrowed = any(argument != "--full" for argument in arguments)
    if code == NO_TESTS_SELECTED and narrowed:
        return Result(note="none of the chosen tests is for this profile")
    return read_report(report, code)


def test(arguments: list[str]) -> int:
    """Run the tests in every profile, then say how each went and what it comes to."""
    install("test")
    first, *others, last = PROFILES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def run_others() -> dict[str, Result]:
            return {
                other: run_profile(other, arguments, folder / f"{other}.xml", folder / f"{other}.txt")
                for other in others
            }

        # The first has as many tests as all others together, which run beside it and are shown afterwards;
        # but the last one, in real time, alone.
        with ThreadPoolExecutor(1) as beside:
            waiting = beside.submit(run_others)
            print(f"\n== profile {first}; the others run beside it", flush=True)
            results = {first: run_profile(first, arguments, folder / f"{first}.xml")}
            results |= waiting.result()
        results[last] = run_profile(last, arguments, folder / f"{last}.xml")
        for log in [folder / f"{other}.txt" for other in others if (folder / f"{other}.txt").is_file()]:
            print(f"\n== profile {log.stem}\n{log.read_text(encoding='utf-8', errors='replace')}", flush=True)
    print()
    for profile, result in results.items():
        note = f"   ({result.note})" if result.note else ""
        print(f"{profile:8} passed {result.passed}, failed {result.failed}, skipped {result.skipped}{note}")
    passed = sum(result.passed for result in results.values())
    failed = sum(result.failed for result in results.values())
    skipped = sum(result.skipped for result in results.values())
    if not passed + failed:
        print("No test ran.")
        failed = 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


def check() -> int:
    """Lint and type-check; both are run, so that one call shows everything."""
    python = install("dev")
    codes = [subprocess.call([python, "-m", *tool], cwd=ROOT) for tool in (("ruff", "check", "."), ("mypy",))]
    return max(codes)


def sample(arguments: list[str]) -> int:
    """Run the sample that the first argument names, or else the shooter."""
    names = [main.parent.name for main in (ROOT / "samples").glob("*/main.py")]
    if not arguments or arguments[0] not in names:
        arguments = ["shooter", *arguments]
    main_file = ROOT / "samples" / arguments[0] / "main.py"
    return subprocess.call([install("samples"), main_file, *arguments[1:]])


def main(arguments: list[str]) -> int:
    """Carry out the command; 2 if there is no such command."""
    if sys.version_info < (3, 10):  # noqa: UP036 (this file is what people run first)
        print("panda_rtstamp needs Python 3.10 or newer; this is " + sys.version.split()[0])
        return 2
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command == "sample":
        return sample(rest)
    if command == "test":
        return test(rest)
    if command == "check" and not rest:
        return check()
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
