"""A connected pair with streams enabled, whose ends work in threads of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import comch_next as comch
from tests.control_path.pair import DPU, HOST, REP
from tests.processes import SOON_S

T = TypeVar("T")


class Pair(NamedTuple):
    """A client's connection (here) and the server's (there), and threads to use them from."""

    here: comch.Connection
    there: comch.Connection
    pool: ThreadPoolExecutor

    def both(self, here: Callable[[comch.Stream], Any], there: Callable[[comch.Stream], Any]) -> tuple[Any, Any]:
        """What the two ends return, each within the block of its stream."""
        futures = self.start(self.here, here), self.start(self.there, there)
        return futures[0].result(SOON_S), futures[1].result(SOON_S)

    def start(self, connection: comch.Connection, work: Callable[[comch.Stream], T]) -> Future[T]:
        """Begin the work of one end in a thread."""

        def within() -> T:
            with comch.Stream(connection) as stream:
                return work(stream)

        return self.pool.submit(within)


@contextmanager
def connected(*, enabled: bool = True, one_sided: bool = False) -> Iterator[Pair]:
    """Both ends, up, in this process."""
    with (
        comch.open_device(DPU) as dpu,
        dpu.open_representor(REP) as rep,
        comch.open_device(HOST) as host,
        ThreadPoolExecutor(3) as pool,
    ):
        server = comch.Server(dpu, rep, "svc", one_sided=one_sided)
        client = comch.Client(host, "svc", one_sided=one_sided)
        if enabled:
            comch.Stream.enable(server)
            comch.Stream.enable(client)
        with server:
            accepting = pool.submit(server.receive, timeout=SOON_S)
            with client:
                client.connection.send(b"hello")
                yield Pair(client.connection, accepting.result(SOON_S).connection, pool)
