"""A client that comes back has left before: a server with callbacks hears of both in that order."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import ProgressEngine, State
from tests.control_path.pair import DPU, REP, Side, client, connect, ignore, leave, until
from tests.fast_path.lane import Inbox
from tests.topologies import limited

ALLOWANCES = pytest.mark.parametrize("most", [None, 1, 3])


class Service(Side):
    """A server that serves whoever came last, and notes what it is told of."""

    def __init__(self, most: int | None) -> None:
        engine = ProgressEngine(max_events=most)
        super().__init__(comch.Server(comch.open_device(DPU), REP, "svc", engine=engine))
        self.told: list[str] = []
        self.context.event_msg_recv_register(lambda _, data: self.told.append(data.decode()))
        self.context.event_consumer_register(
            lambda _, __: self.told.append("consumer"), lambda _, __: self.told.append("expired")
        )
        self.context.event_connection_status_changed_register(
            lambda *news: self._note("up", self.up, news), lambda *news: self._note("down", self.down, news)
        )

    def _note(self, what: str, of_all: list[Any], news: object) -> None:
        self.told.append(what)
        of_all.append(news)


def come_back(there: Service, here: Side) -> None:
    """Leave and connect again, without any progress of the server's in between."""
    here.context.stop()
    until(lambda: here.state is State.IDLE, here.engine)
    here.context.start()
    known = len(there.up)
    until(lambda: here.state is State.RUNNING and len(there.up) > known, there.engine, here.engine)


@ALLOWANCES
@pytest.mark.parametrize("last_words", [[], ["one"], ["one", "two", "three"] * 20])
def test_a_server_hears_first_that_it_left(most: int | None, last_words: list[str]) -> None:
    there, here = Service(most), client()
    connect(there, here)
    for _ in range(5):
        there.told.clear()
        for word in last_words:
            here.send(word.encode())
        come_back(there, here)
        assert there.told == [*last_words, "down", "up"]
    leave(here, there)


@ALLOWANCES
def test_a_server_hears_first_of_what_it_took_along(most: int | None) -> None:
    there, here = Service(most), client()
    here.context.event_consumer_register(ignore, ignore)
    connect(there, here)
    inboxes = [Inbox(here.connection, here.context.device, engine=here.engine) for _ in range(3)]
    for inbox in inboxes:
        inbox.consumer.start()
    until(lambda: there.told.count("consumer") == 3, there.engine, here.engine)
    there.told.clear()
    for inbox in inboxes:
        inbox.consumer.stop()
    until(lambda: all(inbox.consumer.state is State.IDLE for inbox in inboxes), here.engine)
    until(lambda: not here.engine.progress())  # now the news are on their way
    come_back(there, here)
    assert there.told == ["expired"] * 3 + ["down", "up"]
    for inbox in inboxes:
        inbox.close()
    leave(here, there)


@ALLOWANCES
def test_one_client_at_a_time(most: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that has left takes no place from the one that comes."""
    limited(tmp_path, monkeypatch, max_clients=1)
    there, here = Service(most), client()
    connect(there, here)
    for _ in range(5):
        come_back(there, here)
    assert there.told == ["up"] + ["down", "up"] * 5
    leave(here, there)


def let_in(there: Side, annoy: Callable[[], object]) -> None:
    """Have a client come while another one does something before every progress."""
    here = client()
    here.context.start()
    for _ in range(500):
        annoy()
        there.engine.progress()
        here.engine.progress()
    assert here.state is State.RUNNING
    leave(here)


@ALLOWANCES
def test_who_writes_on_after_its_end_keeps_nobody_out(most: int | None) -> None:
    """It does not look at its socket, whose end the server has closed."""
    there, liar = Service(most), client()
    connect(there, liar)
    handle = liar.connection._handle
    with socket.socket(fileno=os.dup(handle.sock.fileno())) as sock:  # type: ignore[attr-defined]
        sock.shutdown(socket.SHUT_WR)
    let_in(there, lambda: [comch.outcome(handle.send, b"and another thing") for _ in range(100)])  # type: ignore[attr-defined]
    leave(liar, there)


@ALLOWANCES
def test_who_always_has_news_keeps_nobody_out(most: int | None) -> None:
    there, busy = Service(most), client()
    busy.context.event_consumer_register(ignore, ignore)
    connect(there, busy)
    inbox = Inbox(busy.connection, busy.context.device, engine=busy.engine)
    consumer = inbox.consumer

    def come_or_go() -> None:
        (consumer.start if consumer.state is State.IDLE else consumer.stop)()
        busy.engine.progress()

    let_in(there, come_or_go)
    if consumer.state is not State.IDLE:
        consumer.stop()
    until(lambda: consumer.state is State.IDLE, busy.engine)
    inbox.close()
    leave(busy, there)
