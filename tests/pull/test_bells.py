"""Who is roused by which bell, whatever else happens to the connection meanwhile."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import comch_next as comch
from comch_next import PullPort, State
from comch_next.driver.emulated._channels import Channels
from tests.control_path.pair import client, leave, server
from tests.control_path.pair import until as turn_until
from tests.processes import SOON_S
from tests.pull.support import Stage, ready, until


def calm_pair(stage: Stage) -> tuple[PullPort, PullPort]:
    """Ports of a server and a client, of programs that hear nothing of an orderly leave."""
    return stage.server("driver", one_sided=True), stage.client("driver", one_sided=True)


def sleep(port: PullPort) -> None:
    """Arm it until nothing is there."""
    port.arm_recv()
    while ready(port.recv_fd):
        port.receive()
        port.arm_recv()


def test_a_ring_outlives_a_send_to_whoever_has_rung_and_left(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sending thread loses the processor between its look at the sockets and its send."""
    there, here = stage.meet(*calm_pair(stage))
    sleep(there.port)
    sleep(here.port)
    port: Any = there.port._port
    poll_sockets = port.poll_sockets

    def poll_late() -> None:
        poll_sockets()
        monkeypatch.undo()
        assert here.send(b"last words")
        here.context.close()

    monkeypatch.setattr(port, "poll_sockets", poll_late)
    port.poller.hurry()
    until(lambda: there.send(b"x") and port.poll_sockets == poll_sockets)
    assert ready(there.port.recv_fd)
    assert there.port.receive() == (b"last words", there.connection)


def test_a_descriptor_asked_for_while_a_connection_comes_up(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    server_port, client_port = calm_pair(stage)
    made, go_on = threading.Event(), threading.Event()
    add = Channels._add

    def slowly(self: Channels, name: str) -> None:
        add(self, name)
        made.set()
        go_on.wait(0.2)

    monkeypatch.setattr(Channels, "_add", slowly)
    asking = threading.Thread(target=lambda: server_port.recv_fd)
    asking.start()
    made.wait()
    there, here = stage.meet(server_port, client_port)
    go_on.set()
    asking.join()
    sleep(there.port)
    assert here.send(b"hello")
    assert ready(there.port.recv_fd, SOON_S)
    assert there.port.receive() == (b"hello", there.connection)


def test_tasks_beside_a_port_make_no_noise() -> None:
    """The room that they wait for is told on a bell that only the port hears."""
    here = client(recv_queue_size=1)
    there = server(pulled=True)
    port = PullPort(there.context)
    there.context.start()
    here.context.start()
    turn_until(lambda: port.accept() or here.state is State.RUNNING, here.engine)
    turn_until(lambda: here.state is State.RUNNING, here.engine)
    (peer,) = port.connections
    turn_until(lambda: here.state is State.RUNNING, here.engine)
    for number in range(1, 13):
        there.send(b"x", peer)
        there.send(b"x", peer)
        there.engine.progress()
        there.engine.request_notification()
        there.engine.clear_notification()
        turn_until(lambda number=number: len(here.messages) == 2 * number, here.engine)  # type: ignore[misc]
        turn_until(lambda number=number: len(there.done) == 2 * number, there.engine)  # type: ignore[misc]
    port.arm_send()
    turn_until(lambda: ready(port.send_fd), there.engine)
    assert port.status(peer) is comch.ErrorCode.SUCCESS
    leave(here, there)
