"""A call waits for the thread that is inside its engine, and begins then: none sees another one half done."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from comch_next import ProgressEngine
from comch_next._threaded._port import ThreadedPort
from comch_next.driver import protocol
from comch_next.driver.emulated._port import AGAIN, Port
from tests.native.faces import ENV
from tests.processes import StartPython
from tests.pull.support import FORMS, Stage
from tests.threads.waiting import Watched, body_of, hasty, public_calls

# Calls that need not wait, of the classes that have them.
FREE = {
    Port: {
        *("send", "receive"),  # one call in C: what does not succeed at once goes on in not_accepted and fetch
        *("get_undelivered", "get_max_msg_size"),  # one number
    },
    ThreadedPort: {
        "bell",  # for calls that have the lock
        "finish",  # two calls that take it: it waits for the helper thread in between
    },
}
GIVEN: dict[str, Any] = {"data": b"x", "size": 100, "greet": id, "channel": "recv", "result": AGAIN, "found": None}


@pytest.fixture(params=FORMS)
def calls(request: pytest.FixtureRequest) -> Iterator[tuple[dict[str, Any], Callable[[str, Any], str]]]:
    """The calls of a form of the port, and what one of these names does hastily."""
    lock, stage = Watched(), Stage()
    engine = ProgressEngine(_lock=lock)
    _, client = stage.meet(stage.server("driver"), stage.client(request.param, engine=engine))
    port: Any = client.port._port
    given = GIVEN | {"connection": client.connection._handle}

    def made(name: str, call: Any) -> str:
        names = list(inspect.signature(call).parameters)[1:]
        return hasty(partial(call, port, *(given[each] for each in names)), body_of(call), [lock])

    found = public_calls(type(port), protocol.Port)
    assert FREE[type(port)] <= set(found)
    yield {name: call for name, call in found.items() if name not in FREE[type(port)]}, made
    stage.close()
    engine.destroy()


def test_a_call_waits_for_the_thread_that_is_inside(calls: tuple[dict[str, Any], Callable[[str, Any], str]]) -> None:
    known, made = calls
    assert {name: what for name, call in known.items() if (what := made(name, call))} == {}


def test_one_that_did_not_would_be_seen(calls: tuple[dict[str, Any], Callable[[str, Any], str]]) -> None:
    """As it is without its decorators; `close` of a threaded port takes the lock by itself."""
    known, made = calls
    bare = {name: inspect.unwrap(call) for name, call in known.items() if hasattr(call, "__wrapped__")}
    assert known.keys() - bare.keys() <= {"close"}
    assert [name for name, call in bare.items() if not made(name, call)] == []


@pytest.mark.parametrize("driver", ["emulated", "native"])
def test_calls_of_a_driver_wait_for_the_thread_that_is_inside(start_python: StartPython, driver: str) -> None:
    ended = start_python("-m", "tests.threads.nouns", env={**ENV, "COMCH_DRIVER": driver}).finish()
    assert ended == (0, "", "")
