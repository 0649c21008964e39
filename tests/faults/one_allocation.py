"""A program in which one allocation fails, each in its turn: prints what is not as before, or works no more."""

from __future__ import annotations

import _testcapi  # type: ignore[import-not-found]
import gc
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from types import CodeType
from typing import Any

import comch_next as comch
import comm_channel_compat as old
from comch_next import Client, Server, State
from comm_channel_compat import flat
from tests.descriptors import open_fds

DPU, HOST, REP = "03:00.0", "b1:00.0", "b1:00.0"
_NONE = 1 << 20  # the number of no allocation
_UNTOUCHED = 20  # calls in a row that succeed: there are no such allocations any more
_TURNS = 50
UNSOUND = 3  # what it exits with where the interpreter itself does not survive a failed allocation

Attempt = Callable[[int], "BaseException | None"]


def failing(number: int, call: Callable[[], object]) -> BaseException | None:
    """Make the call, whose allocation of that number fails, and return what it has raised, without its frames."""
    raised = None
    _testcapi.set_nomemory(number, number + 1)
    try:
        call()
        _testcapi.remove_mem_hooks()
    except BaseException as error:
        _testcapi.remove_mem_hooks()
        raised = error.with_traceback(None)
        raised.__context__ = raised.__cause__ = None
    return raised


def each_allocation(attempt: Attempt, step: int) -> None:
    """Call `attempt` with one number after the other, in steps, until nothing fails any more."""
    attempt(_NONE)  # what is imported or made once is there from then on
    gc.collect()
    gc.freeze()
    before, untouched = open_fds(), 0
    for number in count(0, step):
        try:
            raised = attempt(number)
        except Exception as error:
            print(f"allocation {number}: afterwards {error!r}")
            return
        gc.collect()
        if (left := open_fds() - before) or signal.pthread_sigmask(signal.SIG_BLOCK, ()):
            print(f"allocation {number}: {left} descriptors left, or signals held back")
            return
        untouched = 0 if raised else untouched + 1
        if untouched == _UNTOUCHED:
            return


def both(one_sided: bool) -> tuple[Server, Client]:
    """Make a server and a client of it."""
    dpu, host = comch.open_device(DPU), comch.open_device(HOST)
    there = Server(dpu, dpu.open_representor(REP), "svc", one_sided=one_sided)
    return there, Client(host, "svc", one_sided=one_sided)


def poll(there: Server) -> None:
    """Accept whoever waits."""
    with suppress(comch.Again):
        there.receive(timeout=0)


def come_in(there: Server, here: Client) -> None:
    """Wait for the answer to a client that has been started."""
    for _ in range(_TURNS):
        poll(there)
        here.engine.progress()
        if here.state is not State.STARTING:
            return


def exchange(there: Server, here: Client) -> None:
    """Have the client come in, and a message arrive; then end."""
    come_in(there, here)
    here.connection.send(b"hello", timeout=1)
    assert there.receive(timeout=1).data == b"hello"
    here.close()
    there.close()


def listen(number: int, *, one_sided: bool = False) -> BaseException | None:
    """Listen, and once more if that has failed."""
    there, here = both(one_sided)
    if raised := failing(number, there.listen):
        there.listen()
    here.connect(timeout=0)
    exchange(there, here)
    return raised


def connect(number: int, *, one_sided: bool = False) -> BaseException | None:
    """Connect, and once more if that has failed."""
    there, here = both(one_sided)
    there.listen()
    if raised := failing(number, lambda: here.connect(timeout=0)):
        here.connect(timeout=0)
    exchange(there, here)
    return raised


def accept(number: int, *, one_sided: bool = False) -> BaseException | None:
    """Accept a client. It comes in all the same, or is told that it does not; another one does."""
    there, here = both(one_sided)
    there.listen()
    here.connect(timeout=0)
    raised = failing(number, lambda: poll(there))
    come_in(there, here)
    assert here.state is not State.STARTING
    with suppress(comch.DocaError):
        here.disconnect()
    here.connect(timeout=0)
    exchange(there, here)
    return raised


def receive(
    number: int, how: Callable[[Server], Any], *, one_sided: bool = False, slowly: bool = False
) -> BaseException | None:
    """Receive a message: once more if that has failed. `slowly`: without the calls that are made in C."""
    there, here = both(one_sided)
    there.listen()
    here.connect(timeout=0)
    come_in(there, here)
    here.connection.send(b"first", timeout=1)
    here.connection.send(b"second", timeout=1)
    if slowly:
        assert there.port is not None
        vars(there.port).pop("receive", None)
        vars(there).pop("receive", None)
    got: list[Any] = [None, None]  # with room, so that to keep what has come takes no memory
    raised = failing(number, lambda: got.__setitem__(0, how(there)))
    got = [how(there) if message is None else message for message in got]
    assert [data for data, _ in got] == [b"first", b"second"], got
    here.close()
    there.close()
    return raised


def by_port(there: Server) -> Any:
    """Receive from the port."""
    assert there.port is not None
    return there.port.receive()


def code_of_old_receive(number: int) -> BaseException | None:
    """Ask generation 1, by its functions, for a message while a client waits: whatever fails is a code."""
    dpu, host = old.open_device(DPU), old.open_device(HOST)
    _, there = flat.doca_comm_channel_ep_create()
    _, here = flat.doca_comm_channel_ep_create()
    flat.doca_comm_channel_ep_set_device(there, dpu)
    flat.doca_comm_channel_ep_set_device_rep(there, dpu.open_representor(REP))
    flat.doca_comm_channel_ep_set_device(here, host)
    assert flat.doca_comm_channel_ep_listen(there, "svc") == comch.ErrorCode.SUCCESS
    assert flat.doca_comm_channel_ep_connect(here, "svc")[0] == comch.ErrorCode.SUCCESS
    raised = failing(number, lambda: flat.doca_comm_channel_ep_recvfrom(there, 100, 0))
    flat.doca_comm_channel_ep_destroy(here)
    flat.doca_comm_channel_ep_destroy(there)
    assert not isinstance(raised, MemoryError)
    return raised


def make_map(number: int) -> BaseException | None:
    """Make a map and destroy it."""
    with comch.open_device(HOST) as host:
        return failing(number, lambda: comch.Mmap(host, 4096).destroy())


ATTEMPTS: dict[str, Attempt] = {
    "map": make_map,
    "listen": listen,
    "connect": connect,
    "accept": accept,
    "receive": lambda number: receive(number, lambda there: there.receive(timeout=1)),
    "receive from the port": lambda number: receive(number, by_port),
    "receive slowly": lambda number: receive(number, by_port, slowly=True),
    "receive one-sided": lambda number: receive(number, lambda there: there.receive(timeout=1), one_sided=True),
    "code of recvfrom": code_of_old_receive,
    "listen one-sided": lambda number: listen(number, one_sided=True),
    "connect one-sided": lambda number: connect(number, one_sided=True),
    "accept one-sided": lambda number: accept(number, one_sided=True),
}


def releases_code_twice() -> bool:
    """Whether this interpreter does, with the code of a function that it has no memory for (3.12.1 and 3.13.0 do).

    Such code is freed while it is in use.
    """

    def make() -> Callable[[], object]:
        return lambda: make

    [code] = [each for each in make.__code__.co_consts if isinstance(each, CodeType)]
    before = sys.getrefcount(code)
    for number in range(5):
        failing(number, make)
    return sys.getrefcount(code) != before


if __name__ == "__main__":
    if releases_code_twice():
        sys.exit(UNSOUND)
    each_allocation(ATTEMPTS[sys.argv[1]], int(sys.argv[2]))
