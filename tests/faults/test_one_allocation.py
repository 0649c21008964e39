"""Memory that runs out for one allocation: the call fails, and everything works when there is memory again."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

import comch_next as comch
from comch_next import State, pull
from comch_next.driver.protocol import WeakSet
from tests.control_path.pulled import connected
from tests.processes import SOON_S, StartPython

STEPS = {"map": 1, "listen": 11, "connect": 11, "listen one-sided": 13, "connect one-sided": 13}


@pytest.mark.parametrize("call", STEPS)
def test_an_allocation_that_fails_has_no_other_effect(call: str, start_python: StartPython) -> None:
    """The call can be made again, no descriptor is left, and no signal held back."""
    pytest.importorskip("_testcapi")
    done = start_python("-m", "tests.faults.one_allocation", call, str(STEPS[call])).finish()
    assert (done.returncode, done.stdout) == (0, ""), done


def out_of_memory_at(number: int, call: Callable[..., object]) -> Callable[..., object]:
    """Return the call as it is where memory runs out in that one of its calls, from 0 on."""
    calls = count()

    def exhausted(*args: object, **kwargs: object) -> object:
        if next(calls) == number:
            raise MemoryError
        return call(*args, **kwargs)

    return exhausted


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
            patches.setattr(owner, name, out_of_memory_at(number, getattr(owner, name)))
            with pytest.raises(MemoryError):
                server.listen()
        assert server.state is State.IDLE
        server.listen()
        with connected(server) as client:
            client.connection.send(b"hello")
            assert server.receive(timeout=SOON_S).data == b"hello"
        server.close()
