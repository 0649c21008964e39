"""A queue that nobody reads holds back what comes, and nothing else that the program waits for."""

from __future__ import annotations

import contextlib
import io
import signal
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import comch_next as comch
from comch_next import State
from comch_next._threaded._channels import Bell
from comch_next._threaded._helper import Helper
from comch_next._threaded._sends import Sends
from tests.processes import SOON_S
from tests.pull.support import End, Stage, ready, until


class Interrupt(Exception):
    """A signal's handler has raised it."""


def flood(end: End, messages: int = 64) -> None:
    """Send until that many have been accepted, or until no more are."""
    sent = 0
    with contextlib.suppress(comch.TimeOut):
        while sent < messages:
            end.connection.send(b".", timeout=0.1)
            sent += 1


def fill(end: End) -> None:
    """Send until one is in flight: those before it lie in the other side's queue."""
    until(lambda: end.port.in_flight(end.connection) or not end.send(b"nobody reads this yet"))


def stall(server: End, client: End) -> None:
    """Have a send in flight for which nobody has asked, and a full queue."""
    assert server.send(b"in the client's queue")
    assert server.send(b"in flight")
    flood(client)
    until(lambda: server.context.engine._helper.rest() > 0)


def drain(end: End) -> None:
    while end.port.receive():
        pass


def test_of_another_port_of_the_engine(stage: Stage, form: str) -> None:
    """What a proxy has to pass on comes faster than it is taken."""
    with comch.ProgressEngine() as engine:
        incoming, downstream = stage.meet(
            stage.server(form, engine=engine, recv_queue_size=4), stage.client("driver", send_queue_size=8)
        )
        upstream, outgoing = stage.meet(
            stage.server("driver", name="upstream", recv_queue_size=1),
            stage.client(form, name="upstream", engine=engine, recv_queue_size=4, send_queue_size=1),
        )
        fill(outgoing)
        flood(downstream)
        assert not outgoing.send(b"refused")
        drain(upstream)
        assert until(lambda: outgoing.send(b"passed on"))
        assert incoming.receive() == b"."
        outgoing.context.close()
        incoming.context.close()


def test_while_another_context_starts(stage: Stage, form: str) -> None:
    """It takes as long as its server likes, and what comes meanwhile is bounded all the same."""
    with comch.ProgressEngine() as engine:
        incoming, downstream = stage.meet(
            stage.server(form, engine=engine, recv_queue_size=4), stage.client("driver", send_queue_size=64)
        )
        silent = stage.server("driver", name="silent")
        silent.context.start()
        client = stage.client(form, name="silent", engine=engine)
        client.context.start()
        assert client.context.state is State.STARTING
        flood(downstream, 4096)
        port: Any = incoming.port._port
        queue = getattr(port, "queue", ())
        assert len(queue) < 4096
        if form == "threaded":
            helper: Any = engine._helper
            until(lambda: len(queue) >= 1024)
            assert 0 < port.pace() < 1
            with helper.lock:
                helper.turn(asked=True)
                assert helper.rest(asked=True) > 0
        until(silent.accept)
        until(lambda: engine.progress() or client.context.state is State.RUNNING)
        client.context.close()
        incoming.context.close()


def test_where_a_stream_begins(stage: Stage, form: str) -> None:
    """Its own engine is not the one of the connection, which has to progress for it."""
    server, client = stage.server(form, recv_queue_size=4), stage.client("driver")
    for each in (server, client):
        comch.Stream.enable(each.context)
    theirs, ours = stage.meet(server, client)
    for _ in range(6):
        assert ours.send(b"unread")
    port: Any = theirs.port._port
    if form == "threaded":
        until(lambda: len(port.queue) >= 4)

    def send() -> None:
        with comch.Stream(ours.connection) as stream:
            stream.send_stream(b"x" * 1000)

    with ThreadPoolExecutor(1) as threads, comch.Stream(theirs.connection) as stream:
        sent = threads.submit(send)
        into = io.BytesIO()
        stream.recv_stream(into)
        sent.result()
    assert into.getvalue() == b"x" * 1000


@pytest.mark.parametrize("through", ["progress", "wait"])
def test_the_programs_own_progress(stage: Stage, through: str) -> None:
    server, client = stage.meet(
        stage.server("threaded", recv_queue_size=4), stage.client("driver", recv_queue_size=1, send_queue_size=64)
    )
    stall(server, client)
    assert server.context.num_inflight_tasks == 1
    drain(client)
    engine = server.context.engine
    while server.context.num_inflight_tasks:
        assert engine.wait(SOON_S) if through == "wait" else until(engine.progress)


def test_a_state_callback_that_raises_keeps_nobody_from_stopping(stage: Stage) -> None:
    server, client = stage.meet(
        stage.server("threaded", recv_queue_size=4, send_queue_size=4), stage.client("driver", recv_queue_size=1)
    )
    fill(server)
    flood(client)

    def on_state(_: object, __: State, new: State) -> None:
        if new is State.STOPPING:
            raise Interrupt

    server.context.set_state_changed_cb(on_state)
    with pytest.raises(Interrupt):
        server.context.stop()
    until(lambda: server.context.state is State.IDLE)


@pytest.mark.parametrize(
    ("call", "owner", "name"),
    [("receive", Helper, "wake"), ("receive", Bell, "ring"), ("arm_send", Sends, "note"), ("arm_send", Bell, "ring")],
)
def test_an_interrupt_leaves_no_helper_asleep(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, call: str, owner: type, name: str
) -> None:
    """It comes at the first line of the call, where signals are not held back."""
    server, client = stage.meet(
        stage.server("threaded", recv_queue_size=4, send_queue_size=4),
        stage.client("driver", recv_queue_size=1, send_queue_size=64),
    )
    stall(server, client)
    struck: list[str] = []

    def strike(*_: object) -> None:
        raise Interrupt

    def struck_once(*args: Any) -> Any:
        if not struck:
            struck.append(name)
            signal.raise_signal(signal.SIGUSR1)
        return genuine(*args)

    genuine = getattr(owner, name)
    before = signal.signal(signal.SIGUSR1, strike)
    try:
        with monkeypatch.context() as patches:
            patches.setattr(owner, name, struck_once)
            with contextlib.suppress(Interrupt):
                while not struck:
                    server.port.receive() if call == "receive" else server.port.arm_send()
    finally:
        signal.signal(signal.SIGUSR1, before)
    if call == "receive":
        drain(server)
        server.port.arm_recv()
        drain(server)
        server.port.arm_recv()
        assert client.send(b"news")
        assert ready(server.port.recv_fd, SOON_S)
    else:
        server.port.arm_send()
        drain(client)
        assert ready(server.port.send_fd, SOON_S)
