"""Pairs of a server's and a client's side, and their makers."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial, wraps
from itertools import count
from typing import Any, cast

from comch_next.testing._remote import RemoteSide
from comch_next.testing._side import Side
from comch_next.testing._waiting import until

__all__ = ["Maker", "Pair", "across_processes", "both_ways", "in_one_process"]

TIMEOUT_S = 10.0
_ABANDON_S = 1.0
_IDLE_TURNS = 20
_numbers = count(1)


class Pair:
    """A server's side and a client's side of one service. `timeout`: the limit of each wait, in seconds."""

    def __init__(self, service: str, server: Side, client: Side, timeout: float) -> None:
        self.service = service
        self.server = server
        self.client = client
        self.timeout = timeout

    def connect(self) -> None:
        """Start the main contexts that are IDLE, and progress until both sides know of the connection."""
        if self.server.state() == "IDLE":
            self.server.start()
        known = len(self.server.told("up"))
        self.client.start()
        self.until_state(self.client, "RUNNING")
        self.until(lambda: len(self.server.told("up")) > known, True, "whether the server was told of the client")

    def directions(self) -> tuple[tuple[Side, Side], tuple[Side, Side]]:
        """Return the sides as (receiver, sender), for both directions."""
        return (self.server, self.client), (self.client, self.server)

    def open_channel(self, taking: Side, giving: Side, key: str = "", *, own_engines: bool = False) -> int:
        """Start a consumer in map "map" of one side and a producer on the other; return the consumer's id.

        `key` is appended to their names, consumer and producer; engines of their own have the same names.
        """
        sink, source = f"consumer{key}", f"producer{key}"
        consumer = taking.consumer(sink, engine=sink if own_engines else "main")
        giving.producer(source, engine=source if own_engines else "main")
        known = len(giving.told("new"))
        taking.start(sink)
        giving.start(source)
        self.until_state(taking, "RUNNING", sink)
        told = "which consumer the other side was told of"
        self.until(lambda: [number for _, number in giving.told("new")[known:]], [consumer], told)
        return consumer

    def turn(self) -> None:
        """Progress both sides once."""
        self.server.rest()
        self.client.rest()

    def until(self, see: Callable[[], object], wanted: object, what: str) -> None:
        """Progress both sides until `see` returns `wanted`; AssertionError after the timeout."""
        until(see, wanted, what, self.turn, self.timeout)

    def until_state(self, side: Side, wanted: str, key: str = "main") -> None:
        """Progress both sides until a context is in that state."""
        self.until(lambda: side.state(key), wanted, f"the state of {key} of the {self._role(side)}")

    def until_told(self, side: Side, kind: str, wanted: list[tuple[Any, ...]], key: str = "main") -> None:
        """Progress both sides until the callbacks have reported exactly `wanted`; see Side.told."""
        self.until(lambda: side.told(kind, key), wanted, f"what was told as {kind} to {key} of the {self._role(side)}")

    def until_count(self, side: Side, kind: str, wanted: int, key: str = "main") -> None:
        """Progress both sides until the callbacks have reported `wanted` times."""
        what = f"how often {kind} was told to {key} of the {self._role(side)}"
        self.until(lambda: len(side.told(kind, key)), wanted, what)

    def settle(self) -> None:
        """Progress both sides some more, before checking that something has not happened."""
        for _ in range(_IDLE_TURNS):
            self.turn()

    def together(self, *calls: Callable[[], Any]) -> list[Any]:
        """Run calls at the same time, each in its own thread; return their results."""
        with ThreadPoolExecutor(len(calls)) as pool:
            return [future.result() for future in [pool.submit(call) for call in calls]]

    def close(self) -> None:
        """Stop and destroy everything in the documented order; AssertionError after the timeout."""
        for path in ("fast", "control"):
            self.until(partial(self._left, path), True, f"whether all contexts of the {path} path are IDLE")
        self.client.release()
        self.server.release()

    def abandon(self) -> None:
        """Destroy what can be destroyed after a failure, each side for itself; errors are suppressed."""
        for side in (self.client, self.server):
            with suppress(Exception):
                for path in ("fast", "control"):
                    until(partial(side.leave, path), True, "whether all contexts are IDLE", side.rest, _ABANDON_S)
                side.release()

    def _left(self, path: str) -> bool:
        left = [side.leave(path) for side in (self.server, self.client)]
        return all(left)

    def _role(self, side: Side) -> str:
        return "server" if side is self.server else "client"


Maker = Callable[..., AbstractContextManager[Pair]]
"""A maker of pairs, with the keywords of `in_one_process` behind the driver."""


def both_ways(*variants: Any, **options: Any) -> Callable[[Callable[..., None]], Callable[[Maker], None]]:
    """Make a check of `check(pair, taking, giving)`, which runs with each side as the receiver.

    variants: values of a fourth argument, each tried with a pair of its own. options: those of the maker.
    """

    def decorate(check: Callable[..., None]) -> Callable[[Maker], None]:
        @wraps(check)
        def both(make: Maker) -> None:
            for values in [[variant] for variant in variants] or [[]]:
                with make(**options) as pair:
                    for taking, giving in pair.directions():
                        check(pair, taking, giving, *values)

        return both

    return decorate


def _service() -> str:
    return f"conformance-{os.getpid()}-{next(_numbers)}"


@contextmanager
def _used(pair: Pair, connect: bool, options: dict[str, Any]) -> Iterator[Pair]:
    try:
        if connect:
            pair.server.open(**options)
            pair.client.open(**options)
            pair.connect()
        yield pair
    except BaseException:
        pair.abandon()
        raise
    pair.close()


@contextmanager
def in_one_process(
    driver: str | None = None, *, connect: bool = True, timeout: float = TIMEOUT_S, **options: Any
) -> Iterator[Pair]:
    """Make a pair in this process. options: those of Side.open. Without `connect` nothing is open."""
    service = _service()
    pair = Pair(service, Side("server", service, driver), Side("client", service, driver), timeout)
    with _used(pair, connect, options):
        yield pair


@contextmanager
def across_processes(
    driver: str | None = None, *, connect: bool = True, timeout: float = TIMEOUT_S, **options: Any
) -> Iterator[Pair]:
    """Make a pair whose server is in a process of its own; otherwise as `in_one_process`."""
    service = _service()
    remote = RemoteSide("server", service, driver, timeout)
    try:
        pair = Pair(service, cast(Side, remote), Side("client", service, driver), timeout)
        with _used(pair, connect, options):
            yield pair
    finally:
        remote.end()
