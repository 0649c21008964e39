"""Groups of files rewritten in several processes, with results that do not depend on how many there are."""

from __future__ import annotations

import gc
import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait

from migrate._project import Group
from migrate.outcome import FileOutcome, Options

GROWN_BYTES = 500_000  # of source, about 15 000 lines, which leave some 150 MB

# The groups are not copied to the processes, which have the memory of this one; no threads run here.
_FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Fault:
    """What went wrong in migrate itself, as text for a report of it."""

    text: str


def rewritten(group: Group, options: Options) -> list[FileOutcome] | Fault:
    """Rewrite a group; an exception becomes a Fault."""
    from migrate.rewriting import rewrite_project  # which `run` has loaded

    try:
        return rewrite_project(group.files, context=group.context, options=replace(options, public=group.public))
    except Exception:
        return Fault(traceback.format_exc())


def run(groups: Sequence[Group], options: Options, jobs: int) -> Iterator[tuple[int, list[FileOutcome] | Fault]]:
    """Rewrite groups in up to `jobs` processes; yields each one's index and result as they come."""
    import migrate.rewriting  # noqa: F401  # for all workers

    waiting = deque(sorted(range(len(groups)), key=lambda index: -_size(groups[index])))
    workers: dict[Connection, _Worker] = {}
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                worker = _Worker(groups, options, list(workers))
                workers[worker.pipe] = worker
                worker.give(waiting.popleft())
            for pipe in wait(list(workers)):
                assert isinstance(pipe, Connection)
                result = workers[pipe].take()
                yield workers[pipe].index, result
                if isinstance(result, Fault) or not waiting or workers[pipe].has_grown:
                    workers.pop(pipe).end()
                else:
                    workers[pipe].give(waiting.popleft())
    finally:
        for worker in workers.values():
            worker.end()


def _size(group: Group) -> int:
    return sum(map(len, [*group.files.values(), *group.context.values()]))


class _Worker:
    """A process that rewrites one group after the other.

    It collects no garbage, which would take a tenth of its time; it is replaced when it has grown, which frees all.
    """

    def __init__(self, groups: Sequence[Group], options: Options, others: Sequence[Connection]) -> None:
        self.index = -1
        self._groups, self._done = groups, 0  # bytes
        self.pipe, theirs = _FORK.Pipe()
        arguments = (theirs, groups, options, [*others, self.pipe])
        self.process = _FORK.Process(target=_work, args=arguments, daemon=True)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # what runs around a fork would lose it
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    @property
    def has_grown(self) -> bool:
        """Whether another process should take its place."""
        return self._done > GROWN_BYTES

    def give(self, index: int) -> None:
        self.index = index
        self._done += _size(self._groups[index])
        with suppress(OSError):  # it has ended: take() reports that
            self.pipe.send(index)

    def take(self) -> list[FileOutcome] | Fault:
        try:
            result: list[FileOutcome] | Fault = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return Fault(f"the process that rewrote them ended with status {self.process.exitcode}")
        return result

    def end(self) -> None:
        self.process.terminate()
        self.process.join()
        self.pipe.close()


def _work(pipe: Connection, groups: Sequence[Group], options: Options, others: Sequence[Connection]) -> None:
    """Rewrite the groups whose indices come through a pipe, until its other end is closed."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    for other in others:  # or the others would keep a pipe open whose owner was killed
        other.close()
    with suppress(EOFError, OSError):
        while True:
            pipe.send(rewritten(groups[pipe.recv()], options))
