"""Clients and servers that start in the wrong order or die: connect, fail, try again, connect."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import Client, ConnectionAborted, ConnectionInprogress, NotConnected, State, TimeOut
from comch_next.driver.emulated._fabric import meeting
from tests.control_path.pair import client, connect, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.event_channels.support import DRIVERS
from tests.fabric.hostile import attacker
from tests.inside import inside
from tests.processes import SOON_S, StartPython
from tests.sleeps import counted_sleeps

pytestmark = pytest.mark.usefixtures("form")

ECHO = """
import sys
import comch_next as comch
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc") as there:
    print("listening")
    for message in there:
        message.reply(sys.argv[1].encode() + message.data)
"""

BOUND_ONLY = """
import signal
import comch_next as comch
nothing = lambda *_: None
there = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
there.listen()
print("listening")
signal.pause()
"""

CLIENT = """
import sys, time
import comch_next as comch
here = comch.Client(comch.open_device("b1:00.0"), "svc")
print("trying")
while True:
    try:
        connection = here.connect(timeout=60)
        break
    except comch.ConnectionAborted:
        time.sleep(0.01)
connection.send(b"hello")
print(here.receive(timeout=60).data.decode())
here.close()
"""


def test_a_client_before_its_server(start_python: StartPython) -> None:
    child = start_python("-c", CLIENT)
    child.wait_for("trying")
    start_python("-c", ECHO, "late ").wait_for("listening")
    assert child.wait_for("late") == "late hello"
    assert child.finish().returncode == 0


def test_connect_keeps_its_deadline(start_python: StartPython) -> None:
    """A server that listens and does not accept."""
    child = start_python("-c", BOUND_ONLY, env=DRIVERS)
    child.wait_for("listening")
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        with counted_sleeps() as slept, pytest.raises(TimeOut):
            here.connect(timeout=0.3)
        assert slept.seconds == pytest.approx(0.3)
        here.close()


def test_a_server_that_sleeps_is_waited_for(start_python: StartPython) -> None:
    child = start_python("-c", ECHO, "")
    child.wait_for("listening")
    child.stop()
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        connection = here.connect(timeout=0)
        for _ in range(3):
            with pytest.raises(ConnectionInprogress):
                connection.update_info()
        with pytest.raises(TimeOut):
            connection.send(b"x", timeout=0.05)
        child.signal(signal.SIGCONT)
        connection.send(b"awake", timeout=SOON_S)
        assert here.receive(timeout=SOON_S).data == b"awake"
        connection.update_info()
        here.close()


def test_update_info_from_in_progress_to_success_to_aborted_to_disconnected(start_python: StartPython) -> None:
    child = start_python("-c", ECHO, "")
    child.wait_for("listening")
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        connection = here.connect(timeout=0)
        deadline = time.monotonic() + SOON_S
        codes = []
        while comch.ErrorCode.SUCCESS not in codes:
            codes.append(comch.outcome(connection.update_info)[0])
            assert time.monotonic() < deadline
        assert set(codes) <= {comch.ErrorCode.CONNECTION_INPROGRESS, comch.ErrorCode.SUCCESS}
        child.kill()
        while not comch.outcome(connection.update_info)[0]:
            assert time.monotonic() < deadline
        with pytest.raises(ConnectionAborted, match="has died"):
            connection.update_info()
        here.close()
        with pytest.raises(ConnectionAborted):
            connection.update_info()


def test_update_info_after_ones_own_disconnect() -> None:
    there, here = server(), client()
    connect(there, here)
    connection = here.connection
    leave(here, there)
    with pytest.raises(ConnectionAborted, match="this side has left"):
        connection.update_info()


def test_a_server_dies_while_it_is_being_connected_to(start_python: StartPython) -> None:
    child = start_python("-c", BOUND_ONLY)
    child.wait_for("listening")
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        connection = here.connect(timeout=0)
        child.kill()
        until(lambda: here.state is State.IDLE, here.engine)
        with pytest.raises(ConnectionAborted):
            connection.update_info()
        with pytest.raises(comch.DocaError):
            connection.send(b"x", timeout=0)
        here.close()


def test_a_new_life_under_the_old_name(start_python: StartPython) -> None:
    """kill -9 with clients connected and messages under way; the new server sees nothing of the old life."""
    first = start_python("-c", ECHO, "first ")
    first.wait_for("listening")
    with comch.open_device("b1:00.0") as device:
        clients = [Client(device, "svc") for _ in range(8)]
        for here in clients:
            here.connect(timeout=SOON_S)
        first.stop()
        for here in clients:
            here.connection.send(b"old message")
        first.kill()
        second = start_python("-c", ECHO, "second ")
        second.wait_for("listening")
        for here in clients:
            old = None
            with pytest.raises(comch.ConnectionReset):
                here.receive(timeout=SOON_S)
            until(lambda here=here: here.state is State.IDLE, here.engine)  # type: ignore[misc]
            here.connect(timeout=SOON_S)
            here.connection.send(b"new message")
        for here in clients:
            assert here.receive(timeout=SOON_S).data == b"second new message"
            with pytest.raises(comch.Again):
                here.receive(timeout=0)
            old = here.connection
            here.close()
            with pytest.raises((NotConnected, comch.BadState)):
                old.send(b"x")


def test_a_program_that_sleeps_while_the_backlog_is_full_is_woken(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else knows of a client that could not even knock."""
    monkeypatch.setattr(meeting, "BACKLOG", 0)
    there, here = server(), client()
    there.context.start()
    before = collected_fds()
    with attacker(runtime_dir):
        here.context.start()
        assert here.engine.wait(SOON_S)
        here.engine.progress()
        assert (here.state, len(there.up)) == (State.STARTING, 0)
        until(lambda: inside(there.context).lobby._silent, there.engine)
        while not there.up:
            assert here.engine.wait(SOON_S)
            here.engine.progress()
            there.engine.progress()
    until(lambda: here.state is State.RUNNING and not inside(there.context).lobby._silent, here.engine, there.engine)
    assert open_fds() == before + 6  # of the connection: no timer is left
    leave(here, there)


def test_a_client_that_stops_while_the_backlog_is_full(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "BACKLOG", 0)
    there, here = server(), client()
    there.context.start()
    with attacker(runtime_dir):
        before = collected_fds()
        for _ in range(2):
            here.context.start()
            here.context.stop()
            until(lambda: here.state is State.IDLE, here.engine)
            assert open_fds() == before
    leave(here, there)
