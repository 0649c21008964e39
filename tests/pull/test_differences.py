"""What differs by nature between the forms, row by row as docs/native.md documents it."""

from __future__ import annotations

import re
import threading
import time

import pytest

import comch_next as comch
from comch_next import ErrorCode, State
from tests.differences import BATCH, LINES
from tests.processes import ROOT, Threads
from tests.pull.support import Stage, ready, until


def test_the_differences_are_these() -> None:
    page = (ROOT / "docs/native.md").read_text(encoding="utf-8")
    _, _, table = page.partition("| With a helper thread |\n|---|---|\n")
    rows = re.findall(r"^\| (.+?) \|", table.partition("\n\n")[0], re.MULTILINE)
    assert tuple(row.strip("`") for row in rows) == LINES


def test_waiting_clients(stage: Stage, form: str) -> None:
    server, client = stage.server(form), stage.client("driver")
    server.context.start()
    client.context.start()
    connection = client.context.connection  # type: ignore[attr-defined]
    if form == "driver":
        assert until(lambda: server.pending) == 1
        assert client.status(connection) == ErrorCode.CONNECTION_INPROGRESS
        assert server.receive() is None
        assert server.accept() is not None
        assert server.pending == 0
        return
    until(lambda: client.status(connection) == ErrorCode.SUCCESS)
    assert server.pending == 0
    assert client.send(connection, b"before accept")
    data, theirs = until(server.receive)
    assert data == b"before accept"
    server.arm_recv()
    assert ready(server.recv_fd)  # once, for the client that came
    server.arm_recv()
    assert not ready(server.recv_fd)
    assert server.accept() is theirs
    assert server.accept() is None


def test_send_tasks(stage: Stage, form: str) -> None:
    before, after = (comch.Server(stage.dpu, "b1:00.0", name) for name in ("before", "after"))
    stage.contexts += [before, after]
    before.task_send_set_conf(print, print, 4)
    port = comch.PullPort(after, threaded=form == "threaded")
    if form == "driver":
        comch.PullPort(before)
        after.task_send_set_conf(print, print, 4)
        return
    with pytest.raises(comch.BadState, match="task_send_set_conf"):
        comch.PullPort(before, threaded=True)
    with pytest.raises(comch.BadState, match="would never be called"):
        after.task_send_set_conf(print, print, 4)
    assert port.pending == 0


def test_messages(stage: Stage, form: str) -> None:
    server = stage.server(form, recv_queue_size=10)
    end, client = stage.meet(server, stage.client("driver", send_queue_size=200))
    least, most = (210, 210) if form == "driver" else (210 + 10, 210 + 10 - 1 + BATCH)
    accepted = 0

    def is_full() -> bool:
        """Whether no message is accepted any more, and all but those in the queue and in flight have been taken."""
        nonlocal accepted
        accepted += client.send(b"%d" % accepted)
        end.connection.update_info()
        taken = end.connection.get_counter(comch.Counter.RECV_MESSAGES)
        return accepted >= least and taken == accepted - 210

    until(is_full)
    deadline = time.monotonic() + 0.2
    while time.monotonic() < deadline:
        is_full()
    until(is_full)
    assert accepted <= most
    if form == "threaded":
        assert end.send(b"not progressed")
        assert client.receive() == b"not progressed"
        client.context.close()
        assert server.status(end.connection) == ErrorCode.SUCCESS
    end.connection.update_info()
    assert end.connection.get_counter(comch.Counter.RECV_MESSAGES) == accepted - 210
    assert server.in_flight(end.connection) == (form == "threaded")
    queued = accepted if form == "driver" else accepted - client.port.failed(client.connection)
    assert [int(end.receive()) for _ in range(queued)] == list(range(queued))
    assert until(lambda: server.in_flight(end.connection) == 0)


def test_send_queue_size(stage: Stage, form: str) -> None:
    server = stage.server(form, send_queue_size=4)
    ends = [stage.meet(server, stage.client("driver", recv_queue_size=1)) for _ in range(2)]
    accepted = []
    for end, _ in ends:
        accepted.append(0)
        while end.send(b"."):
            accepted[-1] += 1
    assert accepted == ([5, 5] if form == "driver" else [5, 0])


def test_max_msg_size(stage: Stage, form: str) -> None:
    client = stage.client(form, max_msg_size=10_000)
    _, end = stage.meet(stage.server("driver"), client)
    if form == "driver":
        assert end.send(bytes(10_000))
        return
    assert end.send(bytes(4080))
    with pytest.raises(comch.InvalidValue) as told:
        end.send(bytes(4081))
    assert told.value.length == 4081


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (ErrorCode.SHUTDOWN, comch.Shutdown),
        (ErrorCode.CONNECTION_ABORTED, comch.ConnectionReset),
        (None, comch.ConnectionReset),
    ],
)
def test_a_servers_end(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, code: ErrorCode | None, error: type[comch.DocaError]
) -> None:
    """With None for a library that lets nothing be submitted any more."""
    server, client = stage.meet(stage.server("driver"), stage.client("threaded"))
    driver = client.context.engine._driver
    if code is None:

        def refuse(*_: object) -> None:
            raise comch.BadState("submit is legal while RUNNING")

        monkeypatch.setattr(driver.send_tasks, "submit", refuse)
    else:
        monkeypatch.setattr(driver.send_tasks, "get_status", lambda _: code)
    server.context.close()
    with pytest.raises(error) as told:
        until(client.port.receive)
    assert type(told.value) is error
    assert told.value.connection is client.connection
    until(lambda: client.context.state is State.IDLE)


def test_states(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server("driver"), stage.client(form))
    server.context.close()
    if form == "driver":
        threading.Event().wait(0.02)
        assert client.context.state is State.RUNNING
        client.context.stop()
        until(lambda: client.context.engine.progress() or client.context.state is State.IDLE)
        with pytest.raises(comch.BadState):
            _ = client.context.connection
        return
    assert until(lambda: client.context.state is State.IDLE)
    assert client.context.connection is client.connection
    with pytest.raises(comch.BadState):
        client.context.stop()
    client.context.close()


def test_callbacks(stage: Stage, form: str) -> None:
    client, threads = stage.client(form), []
    client.context.set_state_changed_cb(lambda *_: threads.append(threading.current_thread().name))
    server = stage.server("driver")
    server.context.start()
    client.context.start()
    until(server.accept)
    client.recv_fd  # noqa: B018
    if form == "threaded":
        until(lambda: len(threads) == 2)
        assert threads[1] == "comch-progress"
    else:
        until(lambda: client.context.engine.progress() or len(threads) == 2)
        assert set(threads) == {"MainThread"}


def test_the_engine(stage: Stage, form: str) -> None:
    with comch.ProgressEngine() as engine:
        handle = engine.notification_handle
        stage.server(form, engine=engine)
        assert (engine.notification_handle == handle) is (form == "driver")
        stage.contexts[0].close()
        assert engine.notification_handle == handle
        running = comch.Server(stage.dpu, "b1:00.1", "other", engine=engine)
        running.listen()
        if form == "threaded":
            stage.server(form, engine=engine).context.close()  # it was open before: the engine knows its helper
        running.close()
    with comch.ProgressEngine() as engine:
        running = comch.Server(stage.dpu, "b1:00.1", "other", engine=engine)
        running.listen()
        if form == "threaded":
            with pytest.raises(comch.BadState):
                stage.server(form, engine=engine)
            stage.contexts[-1].close()
        running.close()


def test_idle(stage: Stage, form: str, threads: Threads) -> None:
    stage.pair(form, form)
    assert threads() == (0 if form == "driver" else 2)
