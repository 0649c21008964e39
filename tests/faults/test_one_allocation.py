"""Memory that runs out for one allocation: the call fails, and everything works when there is memory again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain, repeat
from typing import Any
from unittest.mock import DEFAULT, Mock

import pytest

import comch_next as comch
from comch_next import State, _control, pull
from comch_next.driver.emulated import _server
from comch_next.driver.emulated._fabric.greeting import Greeting
from comch_next.driver.emulated._fabric.lobby import Lobby
from comch_next.driver.protocol import WeakSet
from tests.control_path import pair
from tests.control_path.pulled import connected
from tests.descriptors import collected_fds, open_fds
from tests.processes import SOON_S, StartPython
from tests.pull.support import until

STEPS = {"map": 1, "listen": 13, "connect": 13, "accept": 13}
STEPS |= dict.fromkeys(["receive", "receive from the port", "receive slowly", "receive one-sided"], 1)
STEPS |= {"code of recvfrom": 5, "listen one-sided": 19, "connect one-sided": 19, "accept one-sided": 17}


@pytest.mark.parametrize("call", STEPS)
def test_an_allocation_that_fails_has_no_other_effect(call: str, start_python: StartPython) -> None:
    """The call can be made again, no descriptor is left, and no signal held back."""
    program = pytest.importorskip("tests.faults.one_allocation")
    done = start_python("-m", program.__name__, call, str(STEPS[call])).finish()
    if done.returncode == program.UNSOUND:
        pytest.skip("this interpreter frees a function's code when there is no memory for the function")
    assert (done.returncode, done.stdout) == (0, ""), done


class Exhausting:
    """Stands for a method (its `call` for a function), as it is where memory runs out in one of its calls, from 0 on.

    No code of a test raises that: the library would take it for the program's.
    """

    def __init__(self, call: Callable[..., object], number: int) -> None:
        effects = chain(repeat(DEFAULT, number), [MemoryError], repeat(DEFAULT))
        self.call = Mock(wraps=call, side_effect=effects)

    def __get__(self, instance: object, owner: object) -> Any:
        return partial(self.call, instance)


def exhaust(patches: pytest.MonkeyPatch, owner: Any, name: str, number: int = 0) -> None:
    """Have memory run out in that call of a function of a module, or method of a class."""
    exhausting = Exhausting(getattr(owner, name), number)
    patches.setattr(owner, name, exhausting if isinstance(owner, type) else exhausting.call)


@pytest.mark.parametrize(
    ("owner", "name", "number"), [(WeakSet, "add", 1), (WeakSet, "add", 2), (pull, "quicken", 0), (pull, "quicken", 2)]
)
def test_a_start_without_memory_can_be_tried_again(
    owner: Any, name: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On every Python: it was about to have an engine, or a port."""
    with comch.open_device("03:00.0") as device:
        server = comch.Server(device, "b1:00.0", "another")
        with monkeypatch.context() as patches:
            exhaust(patches, owner, name, number)
            with pytest.raises(MemoryError):
                server.listen()
        assert server.state is State.IDLE
        server.listen()
        with connected(server) as client:
            client.connection.send(b"hello")
            assert server.receive(timeout=SOON_S).data == b"hello"
        server.close()


PLACES = [
    *((_server, "Greeting"), (Lobby, "enter"), (Greeting, "_check"), (_server.Server, "greeted")),
    *((_server, "Connection"), (_server, "make_memory"), (_server, "new_bells")),
]


@pytest.mark.parametrize(("owner", "name"), [*PLACES, (_server.Server, "admit"), (_control, "Connection")])
def test_a_client_that_there_is_no_memory_for_is_told(owner: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes in later, or it is refused or left; never neither. Nothing of it is left in the server."""
    with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host:
        with comch.Server(dpu, "b1:00.0", "svc") as server:
            before = collected_fds()

            def is_told() -> bool:
                comch.outcome(server.receive, timeout=0)
                client.engine.progress()
                return client.state is not State.STARTING

            client = comch.Client(host, "svc")
            client.connect(timeout=0)
            with monkeypatch.context() as patches:
                exhaust(patches, owner, name)
                comch.outcome(server.receive, timeout=0)
            until(is_told, 5.0)
            client.close()
            comch.outcome(server.receive, timeout=0)
            with connected(server) as another:
                another.connection.send(b"hello")
                assert server.receive(timeout=SOON_S).data == b"hello"
            comch.outcome(server.receive, timeout=0)
            assert open_fds() <= before


@pytest.mark.parametrize(("owner", "name"), PLACES)
def test_a_server_with_callbacks_tells_it_too(owner: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    there, here = pair.server(), pair.client()
    there.context.start()
    here.context.start()
    with monkeypatch.context() as patches:
        exhaust(patches, owner, name)
        comch.outcome(there.engine.progress)
    pair.until(lambda: here.state is not State.STARTING, there.engine, here.engine)
    if here.state is State.IDLE:
        pair.connect(there, here)
    here.send(b"x")
    pair.until(lambda: there.messages == [b"x"], there.engine, here.engine)
    pair.leave(here, there)
