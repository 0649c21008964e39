"""What all commands have in common: --version, 64 for a wrong command line, 130 and one line for Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import comch_next
import comm_channel_compat
import migrate
from tests.processes import ROOT, SOON_S, StartPython

# Command -> the name that its version is told under
MODULES = {
    "comch_next": "comch",
    "comch_next.testing": "comch",
    "comm_channel_compat": "comm_channel_compat",
    "migrate": "migrate",
    "doca_migrate": "migrate",
}
NOT_AVAILABLE = 69


def test_every_command_of_the_project_is_here() -> None:
    """A package's `__main__`, and a module of the root."""
    packages = ("comch_next", "comm_channel_compat", "migrate")
    mains = {path.parent for package in packages for path in (ROOT / package).rglob("__main__.py")}
    found = {".".join(path.relative_to(ROOT).parts) for path in mains}
    assert found | {path.stem for path in ROOT.glob("*.py")} - {"setup"} == set(MODULES)


def test_the_page_of_commands_names_each() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [name for name in MODULES if f"`python -m {name}`" not in page] == []


def test_packages_have_one_version() -> None:
    assert comch_next.__version__ == comm_channel_compat.__version__ == migrate.__version__


@pytest.mark.parametrize("module", MODULES)
def test_version(start_python: StartPython, module: str) -> None:
    ended = start_python("-m", module, "--version").finish()
    assert ended == (0, f"{MODULES[module]} {comch_next.__version__}\n", "")


SUBCOMMANDS = [
    ("comch_next", ("devices", "caps", "admin", "timeline")),
    ("comm_channel_compat", ("run", "exec", "env", "paths")),
    ("migrate", ("explain", "verify")),
    ("doca_migrate", ("explain", "verify")),
]


@pytest.mark.parametrize("given", [(m, *c) for m, found in SUBCOMMANDS for c in [(), *((name,) for name in found)]])
def test_help_and_version_of_each_command(start_python: StartPython, given: tuple[str, ...]) -> None:
    for option in ("--help", "-h"):
        ended = start_python("-m", *given, option).finish()
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.startswith(f"usage: python -m {given[0].replace('doca_', '')}")
    assert start_python("-m", *given, "--version").finish() == (
        0,
        f"{MODULES[given[0]]} {comch_next.__version__}\n",
        "",
    )


@pytest.mark.parametrize("module", MODULES)
def test_a_wrong_command_line(start_python: StartPython, module: str) -> None:
    ended = start_python("-m", module, "--no-such-option").finish()
    assert (ended.returncode, ended.stdout) == (64, "")
    assert "usage: python -m " in ended.stderr


@pytest.mark.parametrize("module", MODULES)
def test_closed_streams(module: str) -> None:
    """What would be printed to one is lost, and comes not to the other."""
    told = f"{MODULES[module]} {comch_next.__version__}\n"
    assert _with_closed(1, module, "--version") == (0, "", "")
    assert _with_closed(2, module, "--version") == (0, told, "")
    assert _with_closed(1, module, "--help") == (0, "", "")
    status, printed, complained = _with_closed(1, module, "--no-such-option")
    assert (status, printed) == (64, "")
    assert "usage: python -m " in complained
    assert _with_closed(2, module, "--no-such-option") == (64, "", "")


def test_devices_with_closed_streams() -> None:
    assert _with_closed(1, "comch_next", "devices", "--json") == (0, "", "")
    status, printed, _ = _with_closed(2, "comch_next", "devices", "--json")
    assert status == 0
    assert "0000:03:00.0" in printed


def _with_closed(descriptor: int, module: str, *arguments: str, cwd: Path = ROOT) -> tuple[int, str, str]:
    """Run a command where standard output or standard error is closed: its status, and what it said."""
    command = ["/bin/sh", "-c", f'exec "$@" {descriptor}>&-', "sh", sys.executable, "-m", module, *arguments]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, timeout=2 * SOON_S, check=False)
    return ended.returncode, ended.stdout, ended.stderr


# What each command waits for, so that it can be interrupted: a named pipe that nobody writes to. The launcher waits for
# nothing: its commands come to an end, or become the program.
WAITING = {
    "comch_next": ("timeline", "pipe"),
    "migrate": ("--evidence", "pipe", "pipe"),
    "doca_migrate": ("--evidence", "pipe", "pipe"),
}


@pytest.mark.parametrize("module", WAITING)
def test_interrupted(tmp_path: Path, module: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-m", module, *WAITING[module]], cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:  # fmt: skip
        with pipe.open("wb"):  # opens when the command has: it waits now, or will in a moment
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=2 * SOON_S)  # by the end of the pipe, if the signal came before the wait
    assert process.returncode == 130
    assert said.endswith(": interrupted\n")
    assert said.count("\n") == 1


@pytest.mark.parametrize("module", ["migrate", "doca_migrate"])
def test_interrupted_while_it_is_imported(start_python: StartPython, module: str) -> None:
    code = f"""
import runpy, sys
class Interrupting:
    def find_spec(name, path, target=None):
        if name == "migrate.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting)
runpy.run_module({module!r}, run_name="__main__")
"""
    assert start_python("-c", code).finish() == (130, "", "python -m migrate: interrupted\n")


def test_the_conformance_suite_is_interrupted(start_python: StartPython) -> None:
    child = start_python("-m", "comch_next.testing")
    child.wait_for("one process")
    ended = child.end_by(signal.SIGINT)
    assert (ended.returncode, ended.stderr) == (130, "comch_next: interrupted\n")


def test_the_launcher_is_interrupted(start_python: StartPython) -> None:
    code = """
from comm_channel_compat import __main__ as launcher
def interrupt(words):
    raise KeyboardInterrupt
launcher.COMMANDS["paths"] = interrupt
launcher.main(["paths"])
"""
    assert start_python("-c", code).finish() == (130, "", "comm_channel_compat: interrupted\n")


@pytest.mark.parametrize("package", ["libcst", "rich"])
@pytest.mark.parametrize("arguments", [["x.py"], ["verify", "x.py", "y.py"], ["explain", "x.py:1"]])
def test_a_package_that_is_not_installed(start_python: StartPython, package: str, arguments: list[str]) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; from migrate.cli import main; sys.exit(main({arguments!r}))"
    ended = start_python("-c", code, fresh=True).finish()
    told = f"python -m migrate: {package} is not installed; run: pip install 'doca-channel-compat[migrate]'\n"
    assert ended == (NOT_AVAILABLE, "", told)


def test_what_needs_no_package_runs_without(start_python: StartPython) -> None:
    code = (
        "import sys; sys.modules['libcst'] = None; from migrate.cli import main; sys.exit(main(['explain', 'CCM004']))"
    )
    assert start_python("-c", code, fresh=True).finish().returncode == 0


def test_a_module_of_the_users_that_has_the_name(start_python: StartPython, tmp_path: Path) -> None:
    own = tmp_path / "migrate.py"
    own.write_text("raise SystemExit('this one ran')\n")
    env = {"PYTHONPATH": str(ROOT)}
    assert _with_closed(2, "doca_migrate", "x.py", cwd=tmp_path) == (NOT_AVAILABLE, "", "")
    ended = start_python("-m", "doca_migrate", "x.py", cwd=tmp_path, env=env, fresh=True).finish()
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (NOT_AVAILABLE, "", 1)
    assert ended.stderr.startswith(f"doca-migrate: {own.resolve()} is imported as migrate, not {ROOT / 'migrate'};")
