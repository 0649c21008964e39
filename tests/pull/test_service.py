"""A server that is asked who is connected: snapshots, a descriptor for coming and going, and its own health."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from tests.processes import SOON_S
from tests.pull.support import End, Stage, ready, until


def settles(server: comch.Server) -> bool:
    """Whether the descriptor falls silent after an arming: there is no news left."""

    def silent() -> bool:
        server.update_info()
        return not ready(server.service_fd, 0.01)

    return until(silent)


@pytest.fixture
def ends(stage: Stage, form: str) -> tuple[End, End]:
    """A server of the form and its client, which is not in the first snapshot."""
    return stage.meet(stage.server(form), stage.client("driver"))


def test_nothing_is_known_before_the_first_snapshot(ends: tuple[End, End]) -> None:
    server = ends[0].context
    assert (server.connections, server.pending) == ([], 0)
    server.update_info()
    assert (server.connections, server.pending) == ([ends[0].connection], 0)


def test_a_list_is_the_programs_own(ends: tuple[End, End]) -> None:
    server = ends[0].context
    server.update_info()
    server.connections.clear()
    assert server.connections == [ends[0].connection]


def test_a_client_waits_until_receive_lets_it_in(stage: Stage) -> None:
    server: Any = stage.server("driver").context
    client: Any = stage.client("driver").context
    server.listen()
    client.connect(timeout=0)

    def waits() -> bool:
        server.update_info()
        return bool(server.pending)

    until(waits)
    assert server.connections == []
    with pytest.raises(comch.Again):
        server.receive(timeout=0)
    assert server.pending == 1  # of the snapshot
    server.update_info()
    assert (len(server.connections), server.pending) == (1, 0)


def test_who_leaves_is_an_event_and_missing_from_the_next_snapshot(ends: tuple[End, End]) -> None:
    server = ends[0].context
    fd = server.service_fd
    assert settles(server)
    ends[1].context.close()
    assert ready(fd, SOON_S)
    assert server.connections == [ends[0].connection]
    server.update_info()
    assert server.connections == []


def test_asking_for_the_descriptor_again_loses_nothing(ends: tuple[End, End]) -> None:
    server = ends[0].context
    assert settles(server)
    ends[1].context.close()
    assert ready(server.service_fd, SOON_S)
    assert ready(server.service_fd)
    server.arm_service()
    assert not ready(server.service_fd)


def test_a_server_that_lost_its_name_has_left_everybody(ends: tuple[End, End], runtime_dir: Path) -> None:
    server, mine = ends[0].context, ends[0].connection
    next(runtime_dir.glob("*.sock")).unlink()
    with pytest.raises(comch.ConnectionReset):
        until(server.update_info)
    server.disconnect(mine)
    server.disconnect(mine)
    with pytest.raises(comch.DocaError):
        server.disconnect(ends[1].connection)


def test_a_server_that_lost_its_name_says_so_for_ever(ends: tuple[End, End], runtime_dir: Path) -> None:
    server = ends[0].context
    fd, recv_fd = server.service_fd, server.recv_fd
    assert settles(server)
    server.arm_recv()
    next(runtime_dir.glob("*.sock")).unlink()
    assert ready(fd, SOON_S)
    assert ready(recv_fd, SOON_S)
    for _ in range(3):
        with pytest.raises(comch.ConnectionReset, match="its name"):
            server.update_info()
        with pytest.raises(comch.ConnectionReset, match="its name"):
            server.receive(timeout=SOON_S)
        with pytest.raises(comch.ConnectionReset):
            ends[0].connection.send(b"x", timeout=0)
        with pytest.raises(comch.ConnectionAborted):
            ends[0].connection.update_info()
        assert (server.connections, server.pending) == ([], 0)


def test_a_poller_of_a_server_that_lost_its_name_is_told_for_ever(ends: tuple[End, End], runtime_dir: Path) -> None:
    port = ends[0].port
    port.arm_recv()
    assert port.receive() is None
    next(runtime_dir.glob("*.sock")).unlink()
    assert ready(port.recv_fd, SOON_S)
    for _ in range(3):
        with pytest.raises(comch.ConnectionReset, match="its name"):
            until(port.receive)


def test_a_server_that_was_stopped_has_not_failed(ends: tuple[End, End]) -> None:
    server = ends[0].context
    server.stop()
    until(lambda: server.engine.progress() or server.state is comch.State.IDLE)
    server.update_info()
    assert server.connections == []
    with pytest.raises(comch.NotConnected, match="listen first"):
        server.receive(timeout=0)
    server.listen()
    assert (server.connections, server.pending) == ([], 0)


ASKING: list[Callable[[comch.Server], object]] = [
    lambda server: server.service_fd,
    comch.Server.arm_service,
    comch.Server.update_info,
    lambda server: server.connections,
    lambda server: server.pending,
]


@pytest.mark.parametrize("ask", ASKING)
def test_a_server_of_callbacks_is_not_asked(stage: Stage, ask: Callable[[comch.Server], object]) -> None:
    server = comch.Server(stage.dpu, "b1:00.0", "svc")
    stage.contexts.append(server)
    with pytest.raises(comch.BadState, match="listen"):
        ask(server)


def test_a_server_that_starts_again_reports_nothing_of_its_former_life(stage: Stage) -> None:
    """Nor does a client: of connections that ended before its stop, and whose messages nobody has asked for."""
    server = stage.server("driver")
    mine, theirs = stage.meet(server, stage.client("driver"))
    assert theirs.send(b"old")
    theirs.context.close()
    until(lambda: server.status(mine.connection) is comch.ErrorCode.SHUTDOWN)
    server.context.stop()
    until(lambda: server.context.engine.progress() or server.context.state is comch.State.IDLE)
    server.context.start()
    assert server.receive() is None
    mine, theirs = stage.meet(server, stage.client("driver"))
    assert theirs.send(b"new")
    assert mine.receive() == b"new"
