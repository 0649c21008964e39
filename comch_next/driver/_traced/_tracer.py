"""What a trace knows of contexts, connections and tasks, and how it records them.

Each handle's user data, as the driver keeps it, is a record of ours that holds the program's: callbacks bring it back,
and no table of handles is needed.
"""

import base64
import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar

from comch_next._codes import ErrorCode, State
from comch_next.driver._sink import Sink
from comch_next.driver.protocol import (
    NO_BUFFER,
    Driver,
    Lock,
    Unrecorded,
    by_system,
    interruptible,
    uninterrupted,
    uninterrupted_in_c,
)
from comch_next.errors import DocaError, code_name

__all__ = ["ACCEPTED", "REFUSED", "Facts", "Flight", "Link", "Scope", "Tracer", "facts_of", "now", "result"]

PART = 1024  # bytes of a payload in one line, which leaves room for the rest of it

now = time.monotonic_ns
Facts = dict[str, Any]
Callback = Callable[..., object]
_NO_LOCK = nullcontext()
_T = TypeVar("_T")


def result(code: int) -> Facts:
    """The result of a call, as every line has it."""
    return {"result": code_name(code)}


def facts_of(ask: Callable[[], Facts]) -> Facts:
    """Return what a handle is asked for; nothing if it is invalid, as the driver refuses it."""
    try:
        return ask()
    except by_system(AttributeError, DocaError):
        return {}


ACCEPTED, REFUSED = result(ErrorCode.SUCCESS), result(ErrorCode.AGAIN)


@dataclass(eq=False)
class Link:
    """A connection. Messages are numbered per direction: on the control path, and to each consumer."""

    names: Facts
    user_data: Any
    sent: "count[int]" = field(default_factory=lambda: count(1))
    received: "count[int]" = field(default_factory=lambda: count(1))
    sent_to: dict[int, "count[int]"] = field(default_factory=dict)


@dataclass(eq=False)
class Scope:
    """A context. `link` is a client's connection."""

    names: Facts
    is_client: bool = False
    link: Link | None = None
    user_data: Any = None
    lock: Lock = _NO_LOCK  # its engine's, which it is connected to before anything is sent or received
    port: Facts = field(default_factory=dict)  # the settings of a pull port on it
    received: "count[int]" = field(default_factory=lambda: count(1))  # a consumer's

    def at_once(self, call: Callable[..., _T], *args: Any) -> _T:
        """Make a call and record it: no other call comes between, so numbers follow its order, and no signal."""
        with self.lock:
            return _whole(call, *args)


@uninterrupted
def _whole(call: Callable[..., _T], *args: Any) -> _T:
    return call(*args)


@dataclass(eq=False)
class Flight:
    """A task. `facts` are what its submission recorded and its completion repeats."""

    scope: Scope
    names: Facts
    user_data: Any
    link: Link | None = None
    task: Any = None
    facts: Facts = field(default_factory=dict)
    data: bytes = b""  # a control-path message
    held: int = 0  # bytes that a posted buffer held before


class Tracer:
    """One per driver."""

    def __init__(self, driver: Driver, sinks: Sequence[Sink], *, payload: bool) -> None:
        self.driver = driver
        self._sinks = sinks
        self._payload = payload
        self._connections: dict[tuple[Any, ...], count[int]] = {}

    # Who is who

    def adopt(self, ctx: Any, names: Facts, *, is_client: bool = False, **facts: Any) -> None:
        """A context that has been created, with `facts`: its changes of state are recorded from now on."""
        contexts = self.driver.contexts
        contexts.set_user_data(ctx, Scope(names, is_client))
        contexts.set_state_changed_cb(ctx, self.state_changed(None))
        self.begun("context", ctx, **names, **facts)

    def scope(self, ctx: Any) -> Scope:
        """The record of a context. Raises what the driver refuses an invalid handle with."""
        found: Scope = self.driver.contexts.get_user_data(ctx)
        return found

    def link(self, connection: Any) -> Link:
        """The record of a connection, made when it is first seen: then it gets its number."""
        connections = self.driver.connections
        found = connections.get_user_data(connection)
        if not isinstance(found, Link):
            server = connections.get_server(connection)
            ctx = connections.get_client(connection) if server is None else server
            names = self.scope(ctx).names
            number = next(self._connections.setdefault(tuple(names.values()), count(1)))
            found = Link({**names, "connection": number}, found)
            connections.set_user_data(connection, found)
        return found

    def names(self, connection: Any) -> Facts:
        """What is written of a connection."""
        return facts_of(lambda: self.link(connection).names)

    def device(self, dev: Any) -> Facts:
        """What is written of a device."""
        devices = self.driver.devices
        return facts_of(lambda: {"pci_addr": devices.get_pci_addr_str(devices.as_devinfo(dev))})

    def representor(self, rep: Any) -> Facts:
        """What is written of a representor."""
        devices = self.driver.devices
        return facts_of(lambda: {"rep_pci_addr": devices.rep_get_pci_addr_str(devices.rep_as_devinfo(rep))})

    # What happens

    def begun(self, noun: str, handle: Any, **facts: Any) -> None:
        """Something has been opened or created."""
        self.record("open", facts, noun=noun, handle=hash(handle))

    def ended(self, noun: str, end: Callable[[Any], None], handle: Any, **facts: Any) -> None:
        """Close or destroy it."""
        end(handle)
        self.record("close", facts, noun=noun, handle=hash(handle))

    def record(self, what: str, names: Facts, **facts: Any) -> None:
        """A line without a message."""
        for sink in self._sinks:
            sink.write(what, {**names, **facts})

    def message(self, what: str, names: Facts, data: Any, at_ns: int | None = None, **facts: Any) -> Facts:
        """A line about a message. Returns what identifies the message; without bytes, no digest."""
        try:
            octets = memoryview(data).cast("B")
        except by_system(*NO_BUFFER):
            recorded: Facts = {}
            parts = []
        else:
            recorded = {"length": len(octets), "digest": hashlib.sha256(octets).hexdigest()[:16]}
            parts = [octets[at : at + PART] for at in range(0, len(octets), PART)] if self._payload else []
        first = {"payload": _text(parts[0])} if parts else {}
        for sink in self._sinks:
            number = sink.write(what, {**names, **recorded, **facts, **first}, at_ns)
            for place, part in enumerate(parts[1:], start=1):
                sink.write("payload", {"of": number, "offset": place * PART, "payload": _text(part)}, at_ns)
        return recorded

    def bytes_of(self, buf: Any) -> Any:
        """The bytes of a buffer, which may be None; None for one that has been given back, or that only tasks reach."""
        if buf is None:
            return b""
        try:
            return self.driver.bufs.get_view(buf)
        except DocaError:
            return None

    def immediate(self, imm_data: bytes | None) -> Facts:
        """What is written of immediate data."""
        if not imm_data:
            return {}
        recorded: Facts = {"imm_length": len(imm_data), "imm_digest": hashlib.sha256(imm_data).hexdigest()[:16]}
        return {**recorded, "imm": _text(imm_data)} if self._payload else recorded

    def received(self, link: Any, data: Any) -> Any:
        """A control-path message has arrived. Returns the connection's user data, which is the program's."""
        self.message("receive", link.names, data, n=next(link.received))
        return link.user_data

    # Callbacks, as the driver gets them; what is not callable goes on as it is, to be refused. A signal that comes
    # while one records does not keep the program's own from running.

    def state_changed(self, callback: Callback | None) -> Callback:
        """Record every change of state, then call the program's callback, if there is one."""

        def changed(ctx: Any, old: State, new: State) -> None:
            scope = self.scope(ctx)
            self.record("state", scope.names, old=old.name, new=new.name, **self._settings(ctx, scope, old))
            if scope.is_client:
                self._client_moved(scope, ctx, old, new)
            if callback is not None:
                interruptible(callback, ctx, old, new)

        return uninterrupted_in_c(changed)

    def _settings(self, ctx: Any, scope: Scope, old: State) -> Facts:
        """The settings with which a server or client starts."""
        if old is not State.IDLE or scope.names.keys() != {"service", "side"}:
            return {}
        contexts = self.driver.contexts
        sizes = {"max_msg_size": contexts.get_max_msg_size(ctx), "recv_queue_size": contexts.get_recv_queue_size(ctx)}
        return {**sizes, **scope.port}

    def _client_moved(self, scope: Scope, ctx: Any, old: State, new: State) -> None:
        """A client's one connection lives while it is RUNNING."""
        if new is State.STARTING:
            scope.link = self.link(self.driver.clients.get_connection(ctx))
        assert scope.link is not None
        if new is State.RUNNING:
            self.record("up", scope.link.names, ok=True)
        elif old is State.RUNNING:
            self.record("down", scope.link.names)

    def of_connection(self, what: str, fact: str, callback: Any) -> Any:
        """A callback (connection, value) recorded as `what`, with the value under the name `fact`."""

        def recorded(connection: Any, value: object) -> object:
            self.record(what, self.names(connection), **{fact: value})
            return interruptible(callback, connection, value)

        return uninterrupted_in_c(recorded) if callable(callback) else callback

    def completion(self, tasks: Any, callback: Any) -> Any:
        """The completion of a send."""

        def completed(flight: Flight) -> object:
            if not isinstance(flight.user_data, Unrecorded):
                status = code_name(tasks.get_status(flight.task))
                self.record("complete", flight.names, **flight.facts, result=status)
            return interruptible(callback, flight.user_data)

        return uninterrupted_in_c(completed) if callable(callback) else callback


def _text(data: Any) -> str:
    return base64.b64encode(data).decode("ascii")
