"""What the admin commands show: a connection's own counters; and a server serves, whether or not it can be shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver.emulated._fabric import status
from tests.commands.support import COUNTERS
from tests.control_path.pair import Side, client, connect, leave, pair, server, until
from tests.faults.exhausted import full_table

# The counters are the connection's own


def one_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers that can show one connection at a time."""
    monkeypatch.setattr(status.Board, "of", lambda _: status.Board(1))


def test_counts_are_those_of_the_library() -> None:
    there, first = pair()
    second = client()
    connect(there, second)
    admin: Any = comch.driver.load().admin
    for length in range(5):
        second.send(bytes(length))
    until(lambda: len(there.messages) == 5, there.engine, second.engine)
    counts = []
    for connection, _ in there.up:
        connection.update_info()
        counts.append(tuple(map(connection.get_counter, comch.Counter)))
    (found,) = admin.create_list()
    assert counts == [(0, 0, 0, 0), (0, 0, 5, 10)]
    assert [tuple(getattr(each, name) for name in COUNTERS) for each in found.connections] == counts
    assert {each.client_pid for each in found.connections} == {os.getpid()}
    leave(first, second, there)


def test_a_new_connection_begins_at_nought_and_an_old_one_keeps_its_counters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one_cell(monkeypatch)
    there = server()
    admin: Any = comch.driver.load().admin
    for _ in range(3):
        here = client()
        connect(there, here)
        here.send(b"one")
        until(lambda: there.messages, there.engine, here.engine)
        (found,) = admin.create_list()
        assert [(each.recv_messages, each.recv_bytes) for each in found.connections] == [(1, 3)]
        there.messages.clear()
        leave(here)
        until(lambda: len(there.down) == len(there.up), there.engine)
    for connection, _ in there.up:
        with pytest.raises(comch.ConnectionAborted):
            connection.update_info()
        assert connection.get_counter(comch.Counter.RECV_BYTES) == 3
    leave(there)


# A server serves, whether or not it can be shown


def shown_as(fault: str) -> comch.driver.protocol.ServerStatus:
    """How the one server is shown, whose connections cannot be."""
    admin: Any = comch.driver.load().admin
    (found,) = admin.create_list()
    assert found.connections is None
    assert fault in found.fault
    return found  # type: ignore[no-any-return]


def exchange(there: Side, here: Side) -> None:
    connect(there, here)
    here.send(b"x")
    until(lambda: there.messages == [b"x"], there.engine, here.engine)
    leave(here, there)


def test_descriptors_run_out_at_the_start() -> None:
    there = server()
    with full_table(4):  # its lock, socket, reserve, and that of the directory, which it leaves to the watch
        there.context.start()
    assert shown_as("connections cannot be seen").pid == os.getpid()
    exchange(there, client())


@pytest.mark.parametrize("kind", ["fifo", "link"])
def test_a_lock_file_that_is_also_something_else(runtime_dir: Path, kind: str) -> None:
    there = server()
    there.context.start()
    (path,) = runtime_dir.glob("*.lock")
    there.context.stop()
    precious = runtime_dir / "precious"
    precious.write_text("mine")
    if kind == "fifo":
        os.mkfifo(path)
    else:
        os.link(precious, path)
    there.context.start()
    shown_as("no status" if kind == "fifo" else "damaged status")
    exchange(there, client())
    assert precious.read_text() == "mine"


def test_more_connections_than_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    one_cell(monkeypatch)
    there, first = pair()
    second = client()
    connect(there, second)
    admin: Any = comch.driver.load().admin
    assert [len(found.connections) for found in admin.create_list()] == [1]
    for here in (first, second):
        here.send(b"x")
    until(lambda: len(there.messages) == 2, there.engine, first.engine, second.engine)
    leave(first, second, there)
