"""What a start imports: the launcher little of Python and nothing of the toolkit, the toolkit no reader of source."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.processes import StartPython

PACKAGE = "comm_channel_compat"
# Modules that come with `python -m` itself are not here; these take longer than the whole launcher.
HEAVY = {"argparse", "pathlib", "re", "shlex", "subprocess", "typing"}


def imported(start_python: StartPython, *arguments: str) -> set[str]:
    """The modules that Python reports as imported, those of the program that it becomes included."""
    finished = start_python("-X", "importtime", *arguments).finish()
    assert finished.returncode == 0, finished
    return {line.rpartition("|")[2].strip() for line in finished.stderr.splitlines()}


@pytest.mark.parametrize("launch", [("-m", PACKAGE), (f"-m{PACKAGE}",), ("-Bm", PACKAGE), (f"-qBm{PACKAGE}",)])
def test_it_imports_nothing_of_the_toolkit(start_python: StartPython, tmp_path: Path, launch: tuple[str, ...]) -> None:
    script = tmp_path / "old.py"
    script.write_text("")
    modules = imported(start_python, *launch, "run", str(script))
    assert f"{PACKAGE}._launcher" in modules
    assert not [name for name in modules if name.startswith(("comch_next", "cffi", f"{PACKAGE}.flat"))]
    assert not modules & (HEAVY - imported(start_python, "-m", "timeit", "-n1", "-r1"))


def test_neither_does_the_installed_command(start_python: StartPython, tmp_path: Path) -> None:
    """Which pip writes in this way."""
    command, script = tmp_path / "comm-channel-run", tmp_path / "old.py"
    command.write_text(f"import sys\nfrom {PACKAGE}.__main__ import run\nsys.exit(run())\n")
    script.write_text("import sys; print(sys.argv[1:])\n")
    modules = imported(start_python, str(command), str(script), "--version")
    assert f"{PACKAGE}._launcher" in modules
    assert not [name for name in modules if name.startswith(("comch_next", "cffi", f"{PACKAGE}.flat"))]
    assert start_python(str(command), str(script), "--version").finish() == (0, "['--version']\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", "application", "run"),
        ("-m", "application", PACKAGE),
        ("-m", "application", f"-m{PACKAGE}"),
        ("-m", f"my{PACKAGE}", "run"),
        ("-c", f"import {PACKAGE}; print({PACKAGE}.Endpoint.__name__)", "-m", PACKAGE),
    ],
)
def test_a_package_that_imports_it_gets_all_of_it(
    start_python: StartPython, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    """Python runs another package's `__main__`, whose `__init__` imports the old API."""
    for name in ("application", f"my{PACKAGE}"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"import {PACKAGE} as cc\n")
        (tmp_path / name / "__main__.py").write_text(f"from {name} import cc; print(cc.Endpoint.__name__)\n")
    finished = start_python(*arguments, cwd=tmp_path).finish()
    assert finished == (0, "Endpoint\n", "")


def test_the_toolkit_does_not_import_what_reads_source(start_python: StartPython) -> None:
    """`dataclasses` brings `inspect`, `ast` and `dis`: more than the toolkit's own start.

    From Python 3.14 on a named tuple brings `annotationlib`, and that `ast`.
    """
    modules = imported(start_python, "-c", f"import comch_next, {PACKAGE}.flat")
    assert "comch_next" in modules
    assert not modules & {"dataclasses", "inspect", "dis", *(["ast"] if sys.version_info < (3, 14) else [])}
