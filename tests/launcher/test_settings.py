"""Options that stand for environment variables, and the commands that print settings."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.both_ends import BOTH_ENDS
from tests.launcher.conftest import OURS, PACKAGE, Launch
from tests.processes import StartPython

SHOW = "import os, sys; print([os.environ.get('COMCH_' + name) for name in sys.argv[1:]])"
SETTINGS = ("COMPAT_WARN", "TRACE", "FAULTS", "COMPAT_FORCE")


@pytest.mark.parametrize(
    ("options", "values"),
    [
        ([], [None, None, None, None]),
        (["--warn", "--force"], ["1", None, None, "1"]),
        (["--trace", "/tmp/a b", "--faults", "x=1"], [None, "/tmp/a b", "x=1", None]),
        (["--trace=t"], [None, "{cwd}/t", None, None]),
    ],
)
@pytest.mark.parametrize("command", [("run",), ("exec",), ("env",)])
def test_options_are_environment_variables(
    launch: Launch, tree: Path, command: tuple[str, ...], options: list[str], values: list[str | None]
) -> None:
    arguments = ["-c", SHOW, *SETTINGS]
    started = {"run": arguments, "exec": [sys.executable, *arguments], "env": []}[command[0]]
    finished = launch(*command, *options, *started)
    assert (finished.returncode, finished.stderr) == (0, "")
    if command == ("env",):
        set_by_shell = subprocess.run(
            ["sh", "-c", f'{finished.stdout}exec "$0" "$@"', sys.executable, *arguments],
            capture_output=True, text=True, check=True, timeout=60,
        ).stdout  # fmt: skip
    else:
        set_by_shell = finished.stdout
    assert set_by_shell == f"{[value and value.format(cwd=tree) for value in values]}\n"


CALLED = """\
import ctypes
library = ctypes.CDLL("libdoca_cc.so.2")
print([hasattr(library, "doca_cc_server_" + name + "_set_conf") for name in ("send_task", "task_send")])
"""


@pytest.mark.parametrize(
    ("options", "shapes"), [([], [False, True]), (["--doca", "2.6"], [False, True]), (["--doca=2.5"], [True, False])]
)
@pytest.mark.parametrize("command", [("run",), ("exec", sys.executable)])
def test_the_release_of_generation_2(
    start_python: StartPython, command: tuple[str, ...], options: list[str], shapes: list[bool]
) -> None:
    """With the libraries of the project itself."""
    finished = start_python("-m", PACKAGE, command[0], *options, *command[1:], "-c", CALLED).finish()
    assert (finished.returncode, finished.stdout) == (0, f"{shapes}\n"), finished.stderr


def test_a_launcher_started_by_another_may_take_another_release(start_python: StartPython) -> None:
    inner = (sys.executable, "-m", PACKAGE, "run", "--doca", "2.6", "-c", CALLED)
    finished = start_python("-m", PACKAGE, "exec", "--doca", "2.5", *inner).finish()
    assert finished == (0, "[False, True]\n", "")


@pytest.mark.parametrize("command", ["run", "exec", "env"])
@pytest.mark.parametrize("release", ["2.7", "1.5", "", "two"])
def test_a_release_that_did_not_have_it_is_refused(launch: Launch, command: str, release: str) -> None:
    finished = launch(command, "--doca", release, *([] if command == "env" else ["x"]))
    assert finished.returncode == 64
    assert f"--doca: {release!r} is not one of 1.4, 2.5, 2.6" in finished.stderr


SCRIPT = (
    BOTH_ENDS
    + """\
for step in service.recvfrom, peer.update_info, client.sendto, client.sendto:
    try: step(*{service.recvfrom: (99,), client.sendto: (b"x", peer)}.get(step, ()))
    except cc.Again: print(step.__name__, "again")
"""
)


def test_warnings_traces_and_faults_arrive(start_python: StartPython, tmp_path: Path) -> None:
    script = tmp_path / "old.py"
    script.write_text(SCRIPT)
    trace = tmp_path / "trace.jsonl"
    plain = start_python("-m", PACKAGE, "run", str(script)).finish()
    assert plain == (0, "recvfrom again\n", "")
    options = ["--warn", "--trace", str(trace), "--faults", "again:send@1"]
    finished = start_python("-m", PACKAGE, "run", *options, str(script)).finish()
    assert (finished.returncode, finished.stdout) == (0, "recvfrom again\nsendto again\n")
    assert f"{script}:3: LegacyCallWarning" in finished.stderr
    assert f"{script}:2: " not in finished.stderr  # the device is not of a channel
    assert trace.read_text().count("\n") > 1


def test_a_shell_takes_the_settings(launch: Launch, tree: Path) -> None:
    """Compiler, linker and loader find the libraries afterwards."""
    printed = launch("env").stdout
    source = "#include <doca_comm_channel.h>\nint main(void) { return doca_stub_origin(); }\n"
    build = f"{printed}cd {shlex.quote(str(tree))} && cc -x c - -ldoca_comm_channel -o program && ./program"
    built = subprocess.run(["sh", "-c", build], input=source, text=True, capture_output=True, timeout=60, check=False)
    assert (built.returncode, built.stderr) == (OURS, "")


def test_quoting(start_python: StartPython, tmp_path: Path) -> None:
    name = "it's a; file"
    printed = start_python("-m", PACKAGE, "env", "--trace", f"/{name}").succeed()
    shown = subprocess.run(
        ["sh", "-c", f'{printed}echo "$COMCH_TRACE"'], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout == f"/{name}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_names_that_are_not_of_the_encoding_of_text(tree: Path, tmp_path: Path, encoding: str) -> None:
    """Bytes of file names come out as they are."""
    place = os.fsencode(tmp_path) + b"/na\xefve \xc3\xa9"
    shutil.copytree(tree, os.fsdecode(place))
    environment = {**os.environ, "PYTHONIOENCODING": encoding}

    def printed(*arguments: str) -> bytes:
        command = [sys.executable, "-m", PACKAGE, *arguments]
        return subprocess.run(command, cwd=place, env=environment, capture_output=True, check=True, timeout=60).stdout

    assert printed("paths", "lib").startswith(place)
    assert printed("paths").count(place) == 6
    assert printed("env", "--trace", "t").endswith(b"export COMCH_TRACE='" + place + b"/t'\n")


def test_paths(launch: Launch, tree: Path) -> None:
    expected = {
        kind: ":".join(f"{tree}/{package}/capi/{kind}" for package in (PACKAGE, "comch_next"))
        for kind in ("include", "lib", "pkgconfig")
    }
    printed = launch("paths")
    assert (printed.returncode, printed.stderr) == (0, "")
    assert dict(line.split() for line in printed.stdout.splitlines()) == expected
    for kind, path in expected.items():
        assert launch("paths", kind) == (0, f"{path}\n", "")
