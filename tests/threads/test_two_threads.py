"""Threads that meet in one connection: whatever they do, every message arrives once and whole, and nothing crashes."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

import comch_next as comch
from tests.processes import SOON_S, StartPython
from tests.pull.support import FORMS

COUNT = 3000  # messages of each sender
LOOKS = 400  # of each thread at least


class Worker(threading.Thread):
    """Runs a call; `result` raises what it raised."""

    def __init__(self, call: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._call = call
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._call()
        except BaseException as error:
            self._error = error

    def result(self) -> None:
        """Wait for its end."""
        self.join(SOON_S)
        assert not self.is_alive()
        if self._error is not None:
            raise self._error


@pytest.fixture(params=FORMS)
def pair(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[comch.Server, comch.Client]]:
    """Two ends that are up, in each form of the pull port; threads change wherever they can."""
    monkeypatch.setenv("COMCH_PULL", request.param)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "threads")
    client = comch.Client(comch.open_device("b1:00.0"), "threads")
    server.listen()
    greeting = Worker(lambda: server.receive(timeout=SOON_S))
    client.connect(timeout=SOON_S)
    client.connection.send(b"hello", SOON_S)
    greeting.result()
    yield server, client
    sys.setswitchinterval(interval)
    client.close()
    server.close()


def message(sender: int, number: int) -> bytes:
    """A message that shows where it came from, and any damage to it."""
    return b"%d %d " % (sender, number) + bytes([number % 251]) * (number % 200)


def send(client: comch.Client, sender: int) -> None:
    for number in range(COUNT):
        client.connection.send(message(sender, number), SOON_S)


def test_two_senders_on_one_connection(pair: tuple[comch.Server, comch.Client]) -> None:
    server, client = pair

    senders = [Worker(partial(send, client, sender)) for sender in range(2)]
    came = [server.receive(timeout=SOON_S).data for _ in range(2 * COUNT)]
    for worker in senders:
        worker.result()
    for sender in range(2):
        own = [data for data in came if data.startswith(b"%d " % sender)]
        assert own == [message(sender, number) for number in range(COUNT)]


def test_receivers_on_one_context(pair: tuple[comch.Server, comch.Client]) -> None:
    server, client = pair
    came: Counter[bytes] = Counter()
    lock = threading.Lock()

    def receive() -> None:
        while (data := server.receive(timeout=SOON_S).data) != b"end":
            with lock:
                came[data] += 1

    receivers = [Worker(receive) for _ in range(3)]
    senders = [Worker(partial(send, client, sender)) for sender in range(2)]
    for worker in senders:
        worker.result()
    for _ in receivers:
        client.connection.send(b"end", SOON_S)
    for worker in receivers:
        worker.result()
    assert came == Counter(message(sender, number) for sender in range(2) for number in range(COUNT))


LOAD = """
import threading
from comch_next.driver import load

drivers, together = [], threading.Barrier(8)

def ask():
    together.wait()
    drivers.append(load())

threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(set(map(id, drivers))), "driver")
"""


def test_threads_that_ask_first_together_share_a_driver(start_python: StartPython) -> None:
    assert start_python("-c", LOAD).finish() == (0, "1 driver\n", "")


@pytest.mark.usefixtures("runtime_dir")
def test_a_message_that_comes_while_its_connection_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its receiver gets the connection, though the thread that accepts has not made the program's object for it yet."""
    with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc") as server, comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        client.connect(timeout=0)
        greet, received = server._connection, []
        port = server.port
        assert port is not None

        def late(handle: Any) -> comch.Connection:
            while client.state is not comch.State.RUNNING:
                client.engine.progress()
            client.connection.send(b"early")
            receiving = Worker(lambda: received.append(server.receive(timeout=SOON_S)))
            receiving.join(0.1)  # it finds the message, which has no connection yet
            return greet(handle)

        monkeypatch.setattr(server, "_connection", late)
        while (connection := port.accept()) is None:
            pass
        while not received:
            threading.Event().wait(0.001)
        assert received == [(b"early", connection)]
        client.close()


def _turns(looks: Sequence[Callable[[], object]]) -> int:
    """How often another thread looks than before, while each makes its look again and again."""
    order: list[int] = []
    made = [0] * len(looks)

    def poll(number: int) -> None:
        while min(made) < LOOKS:
            made[number] += 1
            order.append(number)
            looks[number]()

    workers = [Worker(lambda number=number: poll(number)) for number in range(len(looks))]  # type: ignore[misc]
    for worker in workers:
        worker.result()
    return sum(before != after for before, after in pairwise(order))


def _take_turns(looks: Sequence[Callable[[], object]]) -> bool:
    """Whether they do at least once in ten times: on a busy machine one may run alone for as long as its looks last."""
    return any(_turns(looks) > LOOKS // 10 for _ in range(10))


@pytest.mark.parametrize("most", [None, 1])
def test_two_engines_that_are_polled_take_turns(most: int | None) -> None:
    """By the looks that find nothing; the interpreter would change the thread after 5 ms, and thousands of looks."""
    engines = [comch.ProgressEngine(max_events=most) for _ in range(2)]
    assert _take_turns([engine.progress for engine in engines])
    for engine in engines:
        engine.destroy()


def test_two_ends_that_are_polled_take_turns(pair: tuple[comch.Server, comch.Client]) -> None:
    assert _take_turns([end.try_receive for end in pair])
