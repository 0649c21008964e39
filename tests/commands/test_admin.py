"""``python -m comch_next admin``: who serves whom, seen from a process that is neither."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver.emulated._fabric import handshake, status
from tests.commands.support import COUNTERS, ask, call, run, serve
from tests.control_path.pair import DPU, REP, client, leave, pair, until
from tests.descriptors import collected_fds, open_fds
from tests.faults.forking import in_child
from tests.processes import Child, StartPython

NOTHING: dict[str, list[Any]] = {"servers": [], "connections": [], "notes": []}


def counted(row: dict[str, Any]) -> tuple[int, ...]:
    return tuple(row[each] for each in COUNTERS)


def say(child: Child, *texts: str) -> None:
    for text in texts:
        child.say(f"{text}\n")
        child.wait_for("answer")


def switches(pid: int) -> str:
    """How often a process has gone to sleep."""
    return next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("volun"))


def rest(pid: int) -> str:
    """Its state, and how often it has gone to sleep: the same in two looks if it is not in a short sleep only."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] + switches(pid)


def test_servers_and_connections(start_python: StartPython) -> None:
    one, other = serve(start_python, "a"), serve(start_python, "b", "b1:00.2")
    callers = [call(start_python, "a"), call(start_python, "a"), call(start_python, "b", "b1:00.2")]
    say(callers[0], "hello")
    say(callers[1], "x", "yy", "zzz")
    found = ask(start_python, "admin")
    where = {"device": "0000:03:00.0", "max_clients": 512, "wire": handshake.VERSION}
    assert found["servers"] == [
        {"name": "a", "pid": one.pid, "representor": "0000:b1:00.0", "connections": 2, **where},
        {"name": "b", "pid": other.pid, "representor": "0000:b1:00.2", "connections": 1, **where},
    ]
    rows = {row["client_pid"]: row for row in found["connections"]}
    assert {pid: (row["server"], row["server_pid"], *counted(row)) for pid, row in rows.items()} == {
        callers[0].pid: ("a", one.pid, 1, 10, 1, 5),
        callers[1].pid: ("a", one.pid, 3, 12, 3, 6),
        callers[2].pid: ("b", other.pid, 0, 0, 0, 0),
    }
    assert {row["representor"] for row in rows.values()} == {"0000:b1:00.0", "0000:b1:00.2"}
    assert found["notes"] == []


def test_as_tables(start_python: StartPython, runtime_dir: Path) -> None:
    there = serve(start_python, "名前\n\x1b[2J")
    here = call(start_python, "名前\n\x1b[2J")
    servers, connections = run(start_python, "admin").rstrip("\n").split("\n\n")
    title, heading, row = servers.splitlines()
    assert title == f"Servers in {runtime_dir} (limit 0: no limit)"
    wire = str(handshake.VERSION)
    assert row.split() == ["名前\\n\\x1b[2J", str(there.pid), "0000:03:00.0", "0000:b1:00.0", "1", "512", wire]
    assert heading.index("PID") + len("PID") == row.index(str(there.pid)) + len(str(there.pid)) + 2  # two wide signs
    assert connections.splitlines()[2].split()[1:3] == [str(there.pid), str(here.pid)]


@pytest.mark.parametrize("exists", [True, False])
def test_nobody_is_there(start_python: StartPython, runtime_dir: Path, exists: bool) -> None:
    folder = runtime_dir if exists else runtime_dir / "not" / "comch"
    env = {"COMCH_RUNTIME_DIR": str(folder) if exists else "", "XDG_RUNTIME_DIR": str(folder.parent)}
    assert ask(start_python, "admin", env=env) == NOTHING
    assert f"Servers in {folder} (limit 0: no limit): none" in run(start_python, "admin", env=env)
    assert folder.exists() == exists


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_chosen_directory_that_is_not_there(
    start_python: StartPython, runtime_dir: Path, options: tuple[str, ...]
) -> None:
    folder = runtime_dir / "not" / "there"
    env = {"COMCH_RUNTIME_DIR": str(folder)}
    ended = start_python("-m", "comch_next", "admin", *options, env=env).finish()
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert f"{folder} cannot be inspected: No such file or directory" in ended.stderr
    assert not folder.parent.exists()


def test_servers_elsewhere_are_not_shown(start_python: StartPython, tmp_path: Path) -> None:
    serve(start_python)
    assert ask(start_python, "admin", env={"COMCH_RUNTIME_DIR": str(tmp_path)}) == NOTHING


# The server need not help, and does not notice


def test_a_stopped_server_is_alive(start_python: StartPython) -> None:
    there, here = serve(start_python), call(start_python)
    say(here, "before")
    there.stop()
    (server_row,) = ask(start_python, "admin")["servers"]
    assert (server_row["pid"], server_row["connections"]) == (there.pid, 1)
    there.signal(signal.SIGCONT)
    say(here, "after")
    (row,) = ask(start_python, "admin")["connections"]
    assert counted(row) == (2, 22, 2, 11)


def test_a_sleeping_server_is_not_woken(start_python: StartPython) -> None:
    there, here = serve(start_python), call(start_python)
    say(here, "x")
    looks = ["", rest(there.pid)]

    def rests() -> bool:
        looks[:] = looks[1], rest(there.pid)
        return looks[0] == looks[1] and looks[0].startswith("S")

    until(rests)
    before = switches(there.pid)
    for _ in range(3):
        assert len(ask(start_python, "admin")["connections"]) == 1
    assert switches(there.pid) == before


def test_nothing_is_left_open_in_the_one_who_looks() -> None:
    there, here = pair()
    admin: Any = comch.driver.load().admin
    before = collected_fds()
    assert [len(found.connections) for found in admin.create_list()] == [1]
    assert open_fds() == before
    leave(here, there)
    assert admin.create_list() == []


# Ends


def test_a_dead_server_is_gone_without_anybody_cleaning_up(start_python: StartPython, runtime_dir: Path) -> None:
    there = serve(start_python)
    call(start_python)
    there.kill()
    assert ask(start_python, "admin") == NOTHING
    assert len(list(runtime_dir.iterdir())) == 2, "the next server of that name takes them over"
    successor = serve(start_python)
    (row,) = ask(start_python, "admin")["servers"]
    assert (row["pid"], row["connections"]) == (successor.pid, 0)


def test_a_dead_client_is_gone_before_its_server_has_noticed(start_python: StartPython) -> None:
    there = serve(start_python)
    here, survivor = call(start_python), call(start_python)
    there.stop()
    here.kill()
    found = ask(start_python, "admin")
    assert [row["client_pid"] for row in found["connections"]] == [survivor.pid]
    assert found["servers"][0]["connections"] == 1


@pytest.mark.parametrize("who", ["client", "server"])
def test_who_leaves_is_gone(start_python: StartPython, who: str) -> None:
    serve(start_python)
    here, survivor = call(start_python), call(start_python)
    if who == "server":
        here.say("bye\n")
    here.succeed()
    say(survivor, "x")  # the server has read the other's farewell by the time it answers this
    say(survivor, "x")
    found = ask(start_python, "admin")
    assert [row["client_pid"] for row in found["connections"]] == [survivor.pid]


def test_who_has_left_is_gone_while_its_messages_are_still_unread() -> None:
    there, here = comch.Server(comch.open_device(DPU), REP, "svc"), client()
    there.listen()
    here.context.start()
    accept = partial(comch.outcome, there.receive, timeout=0)
    until(lambda: accept() and here.state is comch.State.RUNNING, here.engine)
    here.send(b"kept")
    leave(here)
    admin: Any = comch.driver.load().admin
    until(lambda: not admin.create_list()[0].connections, there.engine)
    assert there.receive(timeout=0).data == b"kept"
    there.close()


def test_a_server_that_stops_is_gone(start_python: StartPython) -> None:
    there, here = serve(start_python), call(start_python)
    here.say("end\n")
    there.wait_for("left")
    assert ask(start_python, "admin") == NOTHING


def test_a_forked_child_of_a_server_is_none(start_python: StartPython) -> None:
    there, here = pair()
    admin: Any = comch.driver.load().admin
    (found,) = in_child(admin.create_list)
    assert found.pid == os.getpid()
    here.send(b"x")
    until(lambda: there.messages, there.engine, here.engine)
    assert admin.create_list()[0].connections[0].recv_messages == 1
    leave(here, there)


def boards() -> int:
    """How many boards this process has open."""
    held = (os.readlink(entry) for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink())
    return sum(status.BOARD in link for link in held)


def test_a_board_goes_with_its_server_and_does_not_pass_to_children() -> None:
    before = boards()
    there, here = pair()
    assert boards() == before + 1
    assert in_child(boards) == 0
    assert boards() == before + 1
    leave(here)
    for _ in range(3):
        there.context.stop()
        until(lambda: there.state is comch.State.IDLE, there.engine)
        assert boards() == before
        there.context.start()
    leave(there)
    assert boards() == before
