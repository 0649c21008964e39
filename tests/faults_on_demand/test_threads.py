"""Several threads that send: message N is one message, and its fault strikes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver import load
from comch_next.driver.emulated._faults.faults import Faults
from comch_next.driver.emulated._faults.nouns import _Servers
from tests.fast_path.lane import Lane
from tests.faults_on_demand.conftest import Demand
from tests.inside import inside
from tests.pull.support import End, Stage

EACH = 300  # messages of a thread
DROPS = 10


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def two_clients(stage: Stage) -> list[End]:
    """Of one server, with engines of their own; nothing of what they send needs to be received."""
    server = stage.server("driver", recv_queue_size=EACH + 1)
    return [stage.meet(server, stage.client("driver", send_queue_size=EACH + 1))[1] for _ in range(2)]


def send_at_once(ends: list[End]) -> int:
    """Each end sends from a thread of its own, trying again what was refused. How many lost their connections."""
    start, lost = threading.Barrier(len(ends)), []

    def run(end: End) -> None:
        start.wait()
        try:
            for _ in range(EACH):
                while not end.send(b"x"):
                    pass
        except comch.ConnectionReset:
            lost.append(end)

    threads = [threading.Thread(target=run, args=(end,)) for end in ends]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(lost)


def driver_faults() -> Faults:
    servers = load().servers
    assert isinstance(servers, _Servers)
    return servers._faults


@pytest.mark.usefixtures("hasty")
def test_every_refusal_strikes(make_stage: Callable[[str], Stage]) -> None:
    stage = make_stage(",".join(f"again:send@{number}" for number in range(1, 2 * EACH)))
    assert send_at_once(two_clients(stage)) == 0
    assert [fault.number for fault in driver_faults()._faults if fault.times] == []
    assert driver_faults()._accepted["send"] == 2 * EACH


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("number", range(1, EACH, EACH // DROPS))
def test_one_connection_is_lost(make_stage: Callable[[str], Stage], number: int) -> None:
    """Each thread sends more than so many, so that it is sent by whoever comes first."""
    stage = make_stage(f"drop:send@{number}")
    assert send_at_once(two_clients(stage)) == 1


class Recorded:
    """The lock of the faults, which notes whether whoever takes it has the engine's."""

    def __init__(self, engines: Any) -> None:
        self._lock, self._engines = threading.RLock(), engines
        self.had: list[bool] = []

    def __enter__(self) -> bool:
        self.had.append(self._engines._is_owned())
        return self._lock.__enter__()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_a_send_takes_the_engines_lock_first(make_stage: Callable[[str], Stage]) -> None:
    """A progress has it when it asks for the other: a client may have come."""
    _, here = make_stage("drop:send@2").pair("driver", "driver")
    faults = driver_faults()
    recorded = faults.lock = Recorded(inside(here.connection).lock)
    assert here.send(b"1")
    with pytest.raises(comch.ConnectionReset):
        here.send(b"2")
    assert recorded.had == [True] * len(recorded.had) != []


def test_a_producer_takes_the_engines_lock_first(demand: Demand) -> None:
    demand("again:producer@2")
    lane = Lane().run()
    lane.inbox.post()
    faults = driver_faults()
    recorded = faults.lock = Recorded(inside(lane.outbox.producer).lock)
    lane.outbox.send(lane.inbox.consumer.id, b"1")
    assert recorded.had == [True] * len(recorded.had) != []
    lane.until(lambda: lane.inbox.received)
    lane.until(lambda: lane.outbox.sent)
    lane.close()
