"""Which call each state allows: every row of the table, in every state, through the public API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import comch_next as comch
from comch_next import BadState, NotPermitted, ProgressEngine, State
from comch_next.driver.emulated._state import CALLS
from tests.control_path.pair import Side, client, connect, ignore, leave, server, until

Call = Callable[[Side], object]


def _connection(side: Side) -> Any:
    """The side's connection in any state, even where it cannot be asked for."""
    return side.up[0][0] if side.up else side.kept[1]


def _submit(side: Side) -> None:
    side.kept[0].submit()


def _port(side: Side) -> None:
    """As the driver is asked: PullPort itself refuses a context with callbacks."""
    side.context._driver.open_port(side.context._handle, None, None, False).close()


ATTEMPTS: dict[str, Call] = {
    "set_max_msg_size": lambda side: setattr(side.context, "max_msg_size", 4080),
    "set_recv_queue_size": lambda side: setattr(side.context, "recv_queue_size", 8),
    "task_send_set_conf": lambda side: side.context.task_send_set_conf(ignore, ignore, 8),
    "event_msg_recv_register": lambda side: side.context.event_msg_recv_register(ignore),
    "event_connection_status_changed_register": lambda side: side.context.event_connection_status_changed_register(
        ignore, ignore
    ),
    "event_consumer_register": lambda side: side.context.event_consumer_register(ignore, ignore),
    "port_open": _port,
    "task_send_alloc_init": lambda side: side.context.task_send_alloc_init(_connection(side), b"x").free(),
    "task_submit": _submit,
    "server_disconnect": lambda side: side.context.disconnect(_connection(side)),
    "client_get_connection": lambda side: side.context.connection,
}

OF_SERVERS = {"event_connection_status_changed_register", "server_disconnect"}
OF_CLIENTS = {"client_get_connection"}
FAST_PATH_ONLY = {"set_imm_data_len", "task_post_recv_set_conf", "task_post_recv_alloc_init"}  # see tests/fast_path


@contextmanager
def _client_in(state: State) -> Iterator[Side]:
    """A client that has been connected before, so that every call has arguments, now in `state`."""
    there, here = server(), client()
    connect(there, here)
    spare = here.task()
    here.kept = spare, here.context.connection
    if state is not State.RUNNING:
        here.context.stop()
    if state in (State.IDLE, State.STARTING):
        spare.free()
        until(lambda: here.state is State.IDLE, here.engine, there.engine)
    if state is State.STARTING:
        here.context.start()
        here.kept = spare, here.context.connection
    assert here.state is state
    try:
        yield here
    finally:
        if state in (State.RUNNING, State.STOPPING):
            comch.outcome(spare.free)
        leave(here, there)


@contextmanager
def _server_in(state: State) -> Iterator[Side]:
    there, here = server(), client()
    connect(there, here)
    spare = there.task()
    there.kept = spare, there.connection
    if state is not State.RUNNING:
        there.context.stop()
    if state is State.IDLE:
        spare.free()
        until(lambda: there.state is State.IDLE, there.engine)
    assert there.state is state
    try:
        yield there
    finally:
        comch.outcome(spare.free)
        leave(there, here)


def _expect(side: Side, call: str, state: State) -> None:
    attempt = ATTEMPTS[call]
    if state in CALLS[call]:
        attempt(side)
        return
    refusal = rf"attempted on .* while {state.name}; (it is )?legal while"
    if call == "task_submit":  # a context gets there only after its last task has been freed
        refusal = "has been freed before; legal for a task that the program holds"
    with pytest.raises(BadState, match=refusal):
        attempt(side)


CLIENT_CALLS = sorted(set(ATTEMPTS) - OF_SERVERS)
SERVER_CALLS = sorted(set(ATTEMPTS) - OF_CLIENTS)


@pytest.mark.parametrize("state", [State.IDLE, State.STARTING, State.RUNNING, State.STOPPING], ids=lambda s: s.name)
@pytest.mark.parametrize("call", CLIENT_CALLS)
def test_on_a_client(call: str, state: State) -> None:
    with _client_in(state) as side:
        _expect(side, call, state)


@pytest.mark.parametrize("state", [State.IDLE, State.RUNNING, State.STOPPING], ids=lambda s: s.name)
@pytest.mark.parametrize("call", SERVER_CALLS)
def test_on_a_server(call: str, state: State) -> None:
    with _server_in(state) as side:
        _expect(side, call, state)


def test_every_row_has_an_attempt() -> None:
    assert set(ATTEMPTS) | {"connect_ctx"} | FAST_PATH_ONLY == set(CALLS)


def test_an_idle_context_has_no_tasks() -> None:
    """STOPPING lasts until the last task has been freed; a freed one cannot be submitted in any state."""
    with _client_in(State.STOPPING) as side:
        for _ in range(20):
            side.engine.progress()
        assert side.state is State.STOPPING
        side.kept[0].free()
        until(lambda: side.state is State.IDLE, side.engine)
        with pytest.raises(BadState, match="freed"):
            side.kept[0].submit()


@pytest.mark.parametrize("state", [State.IDLE, State.STARTING, State.RUNNING, State.STOPPING], ids=lambda s: s.name)
def test_connect_ctx(state: State) -> None:
    """A context has one engine for life, which the constructor gives it: another is never legal."""
    with _client_in(state) as side, ProgressEngine() as other:
        with pytest.raises(NotPermitted if state is State.IDLE else BadState):
            other.connect_ctx(side.context)
