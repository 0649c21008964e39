"""A connected pair with streams enabled, whose ends work in threads of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import comch_next as comch
from comch_next._stream_link import CHUNKS
from tests.control_path.pair import DPU, HOST, REP
from tests.inside import inside
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
def connected(
    *, enable: Callable[[Any], object] | None = comch.Stream.enable, one_sided: bool = False
) -> Iterator[Pair]:
    """Both ends, up, in this process."""
    with (
        comch.open_device(DPU) as dpu,
        dpu.open_representor(REP) as rep,
        comch.open_device(HOST) as host,
        ThreadPoolExecutor(3) as pool,
    ):
        server = comch.Server(dpu, rep, "svc", one_sided=one_sided)
        client = comch.Client(host, "svc", one_sided=one_sided)
        if enable is not None:
            enable(server)
            enable(client)
        with server:
            accepting = pool.submit(server.receive, timeout=SOON_S)
            with client:
                client.connection.send(b"hello")
                yield Pair(client.connection, accepting.result(SOON_S).connection, pool)


class Claimed:
    """A sink that fails while the other side seems to be writing: that has claimed a chunk, and does not go on.

    `stop` has the sender write nothing more, which would take the claim back.
    """

    def __init__(self, connection: comch.Connection, stop: Callable[[], object]) -> None:
        self._connection, self._stop = connection, stop
        self._writes = 0

    def write(self, data: memoryview) -> int:
        self._writes += 1
        if self._writes == 3:  # the chunks before have been posted again
            self._stop()
            (self._consumer,) = (one for one in inside(self._connection).fast.live if one.num_tasks == CHUNKS)
            self._shared = self._consumer.posts.shared
            self._shared.claimed += 1
            raise OSError("the disk is full")
        return len(data)

    def state(self) -> comch.State:
        """That of the consumer, once the sink has failed."""
        state: comch.State = self._consumer.state
        return state

    def let_go(self) -> None:
        """Have the other side's copy end."""
        self._shared.claimed -= 1
