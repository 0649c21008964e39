"""When the sockets are polled, by a clock that the test turns: often enough to miss nothing, and never for long."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver.emulated._kernel.ring import ffi, lib
from tests.control_path.pair import ignore
from tests.frames import fewest
from tests.inside import inside

MS, US = 1_000_000, 1_000  # nanoseconds
POLL, GLANCE = 17 * US, 1 * US  # what they take
START, RUN = 10 * MS, 100 * MS


class Caller:
    """Calls every so many nanoseconds, and does what is due; `watched` is as in pace.h."""

    def __init__(self, between: int, watched: int) -> None:
        self.pace: Any = ffi.new("comch_pace *", {"watched": watched})
        self.between = between
        self.clock = START
        self.polling = 0

    def polls(self) -> Iterator[tuple[int, int]]:
        """Yield begin and end of every poll of a run."""
        while self.clock < START + RUN:
            self.clock += self.between
            began, last = self.clock, self.pace.last
            if lib.comch_poll_due(self.pace, began):
                self.clock += POLL
                self.pace.last, self.pace.next = self.clock, self.clock + MS
                yield began, self.clock
            elif began - last > 20 * US:
                self.clock += GLANCE
            self.polling += self.clock - began

    def rests(self) -> list[int]:
        """Return the times between the end of a poll and the beginning of the next."""
        polls = list(self.polls())
        return [after - before for (_, before), (after, _) in pairwise(polls)]


@pytest.fixture
def sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    ends = socket.socketpair()
    yield ends
    for end in ends:
        end.close()


@pytest.mark.parametrize("between", [1 * US, 3 * US, 19 * US, 21 * US, 25 * US, 60 * US, 400 * US])
def test_silent_sockets_are_polled_once_per_millisecond(
    sockets: tuple[socket.socket, socket.socket], between: int
) -> None:
    """Also in a loop whose turns take so long that each is an absence: polls have a small share of its time."""
    caller = Caller(between, sockets[0].fileno())
    rests = caller.rests()
    assert min(rests) >= MS
    assert max(rests) <= MS + between + GLANCE
    assert caller.polling <= RUN // 10


def test_a_tight_loop_polls_ready_sockets_once_per_millisecond(sockets: tuple[socket.socket, socket.socket]) -> None:
    sockets[1].send(b"x")
    assert min(Caller(3 * US, sockets[0].fileno()).rests()) >= MS


@pytest.mark.parametrize("how", ["words", "hang-up", "unknown"])
def test_one_that_has_been_away_polls_ready_sockets_at_once(
    sockets: tuple[socket.socket, socket.socket], how: str
) -> None:
    if how == "words":
        sockets[1].send(b"x")
    if how == "hang-up":
        sockets[1].close()
    watched = 0 if how == "unknown" else sockets[0].fileno()
    assert set(Caller(25 * US, watched).rests()) == {25 * US}


def test_one_that_has_waited_for_the_sockets_has_not_been_away(sockets: tuple[socket.socket, socket.socket]) -> None:
    caller = Caller(25 * US, sockets[0].fileno())
    sockets[1].send(b"x")
    assert lib.comch_poll_due(caller.pace, START)
    lib.comch_attended(caller.pace)
    caller.pace.next = caller.pace.last + MS
    assert not lib.comch_poll_due(caller.pace, caller.pace.last + US)


def test_a_poll_that_is_asked_for_is_due_in_the_next_call(sockets: tuple[socket.socket, socket.socket]) -> None:
    caller = Caller(1 * US, sockets[0].fileno())
    assert lib.comch_poll_due(caller.pace, START)
    assert not lib.comch_poll_due(caller.pace, START + US)
    lib.comch_hurry(caller.pace)
    assert lib.comch_poll_due(caller.pace, START + 2 * US)


def test_an_engine_watches_the_sockets_of_all_its_contexts() -> None:
    """One context, several, and what is left of them; the others' silence hides nothing."""
    with comch.ProgressEngine() as engine:

        def progress_after_an_absence() -> None:
            end = time.monotonic_ns() + 30 * US
            while time.monotonic_ns() < end:
                pass
            engine.progress()

        servers = [started(engine, "a")]
        for name in "bc":
            assert "poll_sockets" not in fewest(progress_after_an_absence)
            servers.append(started(engine, name))
        end(servers.pop(0))
        assert "poll_sockets" not in fewest(progress_after_an_absence)
        for server in servers:
            bell = os.eventfd(1)
            inside(server).watch.register(bell)
            assert "poll_sockets" in fewest(progress_after_an_absence)
            inside(server).watch.unregister(bell)
            os.close(bell)
            end(server)


def started(engine: comch.ProgressEngine, name: str) -> comch.Server:
    """A context of that engine, whose sockets are silent."""
    server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", name, engine=engine)
    server.task_send_set_conf(ignore, ignore, 1)
    server.event_msg_recv_register(ignore)
    server.event_connection_status_changed_register(ignore, ignore)
    server.start()
    return server


def end(server: comch.Server) -> None:
    server.stop()
    server.destroy()
