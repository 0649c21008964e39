"""Finalizers of the program: they may call what the collector has closed, and are refused as any other caller."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

import comch_next as comch
from comch_next import Client, Server
from tests.control_path.pair import Side, pair
from tests.pull.support import FORMS, Stage


class Late:
    """Makes a call when it is collected, and tells what that has raised. It is younger than what it calls."""

    def __init__(self, told: list[BaseException | None], call: Callable[[], object]) -> None:
        self.told, self.call, self.circle = told, call, self

    def __del__(self) -> None:
        try:
            self.call()
        except BaseException as error:
            self.told.append(error.with_traceback(None))
        else:
            self.told.append(None)


def call_late(make: Callable[[], list[Callable[[], object]]]) -> None:
    """Each call, made when everything is collected, works or raises what the library raises."""
    told: list[BaseException | None] = []
    calls = make()
    number = len(calls)
    while calls:
        Late(told, calls.pop(0))
    gc.collect()
    assert len(told) == number
    assert [error for error in told if error is not None and not isinstance(error, comch.DocaError)] == []


CALLS: dict[str, Callable[[Side, Side], Any]] = {
    "progress": lambda there, here: there.engine.progress,
    "wait": lambda there, here: lambda: there.engine.wait(0),
    "request": lambda there, here: there.engine.request_notification,
    "stop": lambda there, here: there.context.stop,
    "close": lambda there, here: there.context.close,
    "destroy": lambda there, here: there.engine.destroy,
    "disconnect": lambda there, here: lambda server=there.context, peer=there.connection: server.disconnect(peer),
    "update info": lambda there, here: here.connection.update_info,
    "submit": lambda there, here: here.task().submit,
    "max events": lambda there, here: lambda: setattr(there.engine, "max_events", 1),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shared", [False, True])
def test_a_finalizer_that_calls(name: str, shared: bool) -> None:
    def make() -> list[Callable[[], object]]:
        there, here = pair(engine=comch.ProgressEngine()) if shared else pair()
        return [CALLS[name](there, here)]

    call_late(make)


@pytest.mark.parametrize("form", FORMS)
def test_a_finalizer_that_uses_a_port(form: str) -> None:
    def make() -> list[Callable[[], object]]:
        stage = Stage()
        there, here = stage.pair(form, form)
        server: Server = there.context
        client: Client = here.context
        server.update_info()
        connection, peer = client.connection, server.connections[0]
        return [
            lambda: there.port.status(peer),
            lambda: here.port.status(connection),
            connection.update_info,
            lambda: client.receive(timeout=0),
            lambda: server.disconnect(peer),
            client.disconnect,
            server.close,
            client.close,
        ]

    call_late(make)
