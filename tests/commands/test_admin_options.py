"""``admin`` with filters, by client, again and again; and tables that fit a terminal."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from comch_next._commands.report import Section, _table
from tests.commands.support import call, run, serve
from tests.processes import ROOT, SOON_S, StartPython


def shown(start_python: StartPython, *options: str) -> tuple[list[Any], list[Any]]:
    """The names of the servers, and the client pids of the connections."""
    found = json.loads(run(start_python, "admin", "--json", *options))
    rows = found["clients"] if "--clients" in options else found["connections"]
    return [row["name"] for row in found["servers"]], [row["client_pid"] for row in rows]


def test_filters(start_python: StartPython) -> None:
    server = serve(start_python, "a")
    serve(start_python, "b", "b1:00.2")
    one, other, third = call(start_python, "a"), call(start_python, "a"), call(start_python, "b", "b1:00.2")
    assert shown(start_python, "--server", "b") == (["b"], [third.pid])
    assert shown(start_python, "--server", "none") == ([], [])
    assert shown(start_python, "--device", "b1:00.2") == (["b"], [third.pid])
    assert shown(start_python, "--device", "0000:B1:00.2") == (["b"], [third.pid])
    assert shown(start_python, "--device", "03:00.0")[0] == ["a", "b"]
    assert shown(start_python, "--pid", str(other.pid)) == (["a"], [other.pid])
    names, clients = shown(start_python, "--pid", str(server.pid))
    assert (names, sorted(clients)) == (["a"], sorted((one.pid, other.pid)))
    assert shown(start_python, "--server", "b", "--pid", str(one.pid)) == ([], [])


def test_a_device_that_is_no_address(start_python: StartPython) -> None:
    finished = start_python("-m", "comch_next", "admin", "--device", "b1").finish()
    assert (finished.returncode, finished.stdout) == (64, "")
    assert "'b1' is not a PCI address such as 03:00.0 or 0000:03:00.0" in finished.stderr


def test_by_client(start_python: StartPython) -> None:
    server, client = serve(start_python), call(start_python)
    client.say("hello\n")
    client.wait_for("answer")
    (row,) = json.loads(run(start_python, "admin", "--clients", "--json"))["clients"]
    assert row == {
        "client_pid": client.pid,
        "device": "0000:b1:00.0",
        "server": "svc",
        "server_pid": server.pid,
        "to_messages": 1,
        "to_bytes": 10,
        "from_messages": 1,
        "from_bytes": 5,
    }
    title, heading, line = run(start_python, "admin", "--clients").split("\n\n")[1].rstrip("\n").splitlines()
    assert title == "Clients: what servers have sent to each, and received from it"
    assert heading.split()[:2] == ["Client", "Device"]
    assert line.split() == [str(client.pid), "0000:b1:00.0", "svc", str(server.pid), "1", "10", "1", "5"]


def test_watching_until_it_is_interrupted(start_python: StartPython) -> None:
    watching = start_python("-m", "comch_next", "admin", "--watch", "0.01", "--json")
    first = json.loads(watching.wait_for("{"))
    assert first["servers"] == []
    serve(start_python)
    watching.wait_for('"name": "svc"')
    ended = watching.end_by(signal.SIGINT)
    assert (ended.returncode, ended.stderr) == (130, "comch_next: interrupted\n")
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [row["name"] for row in lines[-1]["servers"]] == ["svc"]


def test_watching_with_the_longest_time(start_python: StartPython) -> None:
    watching = start_python("-m", "comch_next", "admin", "--watch", "1e9", "--json")
    watching.wait_for("{")
    ended = watching.end_by(signal.SIGINT)
    assert (ended.returncode, ended.stderr) == (130, "comch_next: interrupted\n")


def test_watching_on_a_terminal_begins_at_its_corner_each_time() -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "comch_next", "admin", "--watch", "0.01"]
    with subprocess.Popen(command, cwd=ROOT, stdout=slave, stderr=subprocess.DEVNULL) as process:
        os.close(slave)
        got = b""
        while got.count(b"\x1b[H\x1b[2J") < 3:
            got += os.read(master, 4096)
        process.send_signal(signal.SIGINT)
        with suppress(OSError):  # the terminal's other end has closed
            while os.read(master, 4096):  # what it has shown meanwhile: it may be waiting for room
                pass
        assert process.wait(timeout=SOON_S) == 130
    os.close(master)
    assert b"Servers in " in got


@pytest.mark.parametrize("time", ["0", "-1", "nan", "inf", "1e10", "soon"])
def test_a_time_that_is_none(start_python: StartPython, time: str) -> None:
    ended = start_python("-m", "comch_next", "admin", "--watch", time).finish()
    assert (ended.returncode, ended.stdout) == (64, "")
    assert "seconds above 0" in ended.stderr or "expected" in ended.stderr


@pytest.mark.parametrize("options", [(), ("--clients",)])
def test_tables_fit_a_terminal_whatever_names_are_in_them(
    start_python: StartPython, runtime_dir: Path, options: tuple[str, ...]
) -> None:
    name = "a name of the very longest kind " * 3
    serve(start_python, name)
    call(start_python, name)
    text = run(start_python, "admin", *options)
    lines = [line for line in text.splitlines() if not line.startswith("Servers in")]
    assert max(map(len, lines)) <= 80
    assert "\N{HORIZONTAL ELLIPSIS}" in text
    assert json.loads(run(start_python, "admin", "--json"))["servers"][0]["name"] == name


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_tables_fit_a_terminal_that_cannot_show_the_names(
    start_python: StartPython, runtime_dir: Path, encoding: str
) -> None:
    serve(start_python, name := "\N{SNOWMAN}\N{LATIN SMALL LETTER E WITH ACUTE}" * 20)
    call(start_python, name)
    for options in ((), ("--clients",)):
        text = run(start_python, "admin", *options, env={"PYTHONIOENCODING": encoding})
        lines = [line for line in text.splitlines() if not line.startswith("Servers in")]
        assert max(map(len, lines)) <= 80


def test_numbers_are_never_cut() -> None:
    rows = [{"name": "n" * 50, "number": 10**40, "other": 10**30}]
    line = _table(Section("x", "X", {"name": "Name", "number": "N", "other": "O"}, rows)).splitlines()[-1]
    assert line.split() == ["n" * 7 + "\N{HORIZONTAL ELLIPSIS}", str(10**40), str(10**30)]
