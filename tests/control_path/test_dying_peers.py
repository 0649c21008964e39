"""A peer that dies, as send, flush and receive report it."""

from __future__ import annotations

import pytest

import comch_next as comch
from comch_next import (
    ConnectionAborted,
    ConnectionReset,
    TimeOut,
)
from tests.control_path.pulled import dialled, listening
from tests.processes import SOON_S, StartPython
from tests.sleeps import at_first_sleep

DYING_SERVER = """
import comch_next as comch
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc", recv_queue_size=2) as there:
    print("ready")
    message = there.receive()
    for number in range(3):
        message.reply(b"%d" % number)
    print("replied")
    import signal; signal.pause()
"""


def test_a_peer_that_dies_is_reported_once_after_its_messages(start_python: StartPython) -> None:
    child = start_python("-c", DYING_SERVER)
    child.wait_for("ready")
    with dialled() as here:
        connection = here.connection
        connection.send(b"x")
        child.wait_for("replied")
        child.kill()
        got = [here.receive(timeout=SOON_S).data for _ in range(3)]
        assert got == [b"0", b"1", b"2"]
        with pytest.raises(ConnectionReset, match="died") as caught:
            here.receive(timeout=SOON_S)
        assert caught.value.connection is connection
        with pytest.raises(ConnectionReset):
            connection.send(b"x")
        with pytest.raises(ConnectionAborted):
            connection.update_info()


def test_flush_ends_when_the_peer_dies(start_python: StartPython) -> None:
    """What is in flight never arrives then: flush says so instead of waiting or keeping silent."""
    child = start_python("-c", DYING_SERVER)
    child.wait_for("ready")
    with dialled() as here:
        connection = here.connection
        connection.send(b"x")
        child.wait_for("replied")
        for _ in range(6):
            connection.send(b"never read")
        assert connection.in_flight == 4
        with at_first_sleep(child.kill), pytest.raises(ConnectionReset, match="4 messages"):
            connection.flush()
        assert connection.in_flight == 0


def test_a_blocked_sender_hears_of_the_death(start_python: StartPython) -> None:
    child = start_python("-c", DYING_SERVER)
    child.wait_for("ready")
    with dialled(send_queue_size=1) as here:
        here.connection.send(b"x")
        child.wait_for("replied")
        while comch.outcome(here.connection.send, b"x", timeout=0)[0] == comch.ErrorCode.SUCCESS:
            pass
        with at_first_sleep(child.kill), pytest.raises(ConnectionReset):
            here.connection.send(b"x")


DYING_CLIENT = """
import sys, signal
import comch_next as comch
here = comch.Client(comch.open_device("b1:00.0"), "svc")
here.connect(timeout=60)
for number in range(3):
    here.connection.send(sys.argv[1].encode())
print("sent")
signal.pause()
"""


def test_a_server_names_the_client_that_died(start_python: StartPython) -> None:
    with listening() as there:
        children = [start_python("-c", DYING_CLIENT, str(number)) for number in range(2)]
        got = [there.receive(timeout=SOON_S) for _ in range(6)]
        for child in children:
            child.wait_for("sent")
        connections = {message.data: message.connection for message in got}
        children[0].kill()
        with pytest.raises(ConnectionReset) as caught:
            there.receive(timeout=SOON_S)
        assert caught.value.connection is connections[b"0"]
        with pytest.raises(TimeOut):
            there.receive(timeout=0.05)
        with pytest.raises(ConnectionReset):
            connections[b"0"].send(b"x")
        connections[b"1"].send(b"x")
