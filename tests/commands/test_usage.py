"""How a command says that it could not: its exit status, and one line on standard error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from comch_next import __main__ as command
from comch_next import driver
from comch_next._commands import admin
from comch_next.driver.emulated import Driver
from tests.processes import ROOT, SOON_S, StartPython

COMMANDS = ("devices", "caps", "admin")


@pytest.mark.parametrize("arguments", [[], ["walk"], ["caps", "--xml"], ["admin", "more"]])
def test_a_usage_error(start_python: StartPython, arguments: list[str]) -> None:
    finished = start_python("-m", "comch_next", *arguments).finish()
    assert (finished.returncode, finished.stdout) == (64, "")
    assert finished.stderr.startswith("usage: python -m comch_next")


def test_help_names_every_command(start_python: StartPython) -> None:
    finished = start_python("-m", "comch_next", "--help").finish()
    assert finished.returncode == 0
    assert all(f"    {name} " in finished.stdout for name in (*COMMANDS, "timeline", "explain"))


@pytest.mark.parametrize(
    ("name", "setting", "told"),
    [
        (
            "devices",
            {"COMCH_DRIVER": "nonesuch"},
            "COMCH_DRIVER: there is no driver 'nonesuch'; known are emulated, native",
        ),
        ("admin", {"COMCH_DRIVER": "nonesuch"}, "there is no driver 'nonesuch'"),
        ("devices", {"COMCH_TOPOLOGY": "not/there.toml"}, "COMCH_TOPOLOGY names 'not/there.toml'"),
        ("caps", {"COMCH_TOPOLOGY": "README.md"}, "COMCH_TOPOLOGY names 'README.md'"),
        ("caps", {"COMCH_TOPOLOGY": "two\nlines"}, "COMCH_TOPOLOGY names 'two\\nlines'"),
        ("caps", {"COMCH_SIDE": "left"}, "COMCH_SIDE is 'left'"),
    ],
)
def test_one_line_says_what_is_wrong(start_python: StartPython, name: str, setting: dict[str, str], told: str) -> None:
    for form in ([], ["--json"]):
        finished = start_python("-m", "comch_next", name, *form, env=setting).finish()
        assert (finished.returncode, finished.stdout) == (1, "")
        assert finished.stderr.count("\n") == 1
        assert finished.stderr.startswith("comch_next: ")
        assert told in finished.stderr


def test_what_was_tried_stands_below_in_lines(start_python: StartPython) -> None:
    lacking = {"COMCH_DRIVER": "native", "COMCH_DOCA_LIB": "/not/there.so"}
    finished = start_python("-m", "comch_next", "devices", env=lacking).finish()
    assert (finished.returncode, finished.stdout) == (1, "")
    first, *tried = finished.stderr.splitlines()
    assert first.endswith("was not found; tried:")
    assert [attempt.partition(": ")[0] for attempt in tried] == ["  /not/there.so"]


class Blind(Driver):
    """A driver that sees nothing of other processes, as one for hardware may."""

    name = "blind"

    def __init__(self) -> None:
        super().__init__()
        self.admin = None  # type: ignore[assignment]


def test_a_driver_without_admin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(admin, "load", Blind)
    assert command.main(["admin"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "comch_next: admin: driver 'blind' cannot show the servers of other processes\n"
    assert driver.load().admin is not None


@pytest.mark.parametrize("command", [*(("comch_next", name) for name in COMMANDS), ("comm_channel_compat", "paths")])
def test_a_reader_that_has_seen_enough(command: tuple[str, str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, err = process.communicate(timeout=SOON_S)
    assert err == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize("command", [("comch_next", "caps"), ("comm_channel_compat", "paths")])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk(command: tuple[str, str], unbuffered: str) -> None:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            timeout=SOON_S,
        )
    assert ended.returncode == 1
    assert ended.stderr.startswith(command[0].encode() + b": ")
    assert ended.stderr.count(b"\n") == 1
