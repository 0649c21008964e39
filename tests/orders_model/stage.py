"""Real contexts beside their models: each call is made on both, and what they say is compared."""

from __future__ import annotations

import os
import re
import select
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import comch_next as comch
from comch_next import Counter, State
from tests.orders_model.model import Context, End, EndState, Errors, Phase
from tests.orders_model.world import World
from tests.processes import SOON_S

__all__ = ["LATE", "Stage", "Subject", "compare", "error_of", "is_incomplete", "open_descriptors", "until"]

# Contexts that are completed later. A tree without them is driven through the arguments of the constructors.
LATE = hasattr(comch, "Channel")


def until(check: Callable[[], object], what: str) -> None:
    """Wait until the check is true; an event of the other side may take a moment."""
    deadline = time.monotonic() + SOON_S
    while not check():
        assert time.monotonic() < deadline, f"it did not happen in time: {what}"
        time.sleep(0.0002)


def error_of(call: Callable[[], object]) -> type[BaseException] | None:
    """The class that a call raises, None when it returns."""
    try:
        call()
    except Exception as error:
        return type(error)
    return None


def compare(expected: Errors, call: Callable[[], Any], what: str) -> Any:
    """Make the call; the model says which errors it may raise, or that it succeeds."""
    try:
        value = call()
    except Exception as error:
        if type(error) not in expected:
            raise AssertionError(f"{what} raised {error!r}; {_named(expected)}") from error
        return None
    assert not expected or type(None) in expected, f"{what} returned {value!r}; {_named(expected)}"
    return value


class Subject:
    """A context and its model, and the connections by which the program knows its ends."""

    def __init__(self, model: Context, real: Any) -> None:
        self.model = model
        self.real = real
        self.connections: dict[End, Any] = {}
        self.fds: dict[str, int] = {}
        self.epoll = select.epoll()

    def end_of(self, connection: object) -> End | None:
        return next((end for end, known in self.connections.items() if known is connection), None)

    def learn(self, end: End, connection: object) -> None:
        """One end has one connection object, for ever."""
        assert self.connections.setdefault(end, connection) is connection, f"{end} has a second connection object"
        assert self.end_of(connection) is end, f"{end} has the connection object of {self.end_of(connection)}"

    def state(self) -> object:
        """The state of the real context, after one progress of its engine: it may be starting or stopping."""
        if self.model.settings.engine and self.model.phase is not Phase.IDLE:
            self.real.engine.progress()
        return self.real.state


class Stage:
    """All subjects, the devices and engines that they use, and the comparisons."""

    def __init__(self, *, threaded: bool) -> None:
        self.world = World(threaded=threaded)
        self.subjects: list[Subject] = []
        self.descriptors = open_descriptors()
        self.devices = {pci: comch.open_device(pci) for pci in ("03:00.0", "b1:00.0", "b1:00.1")}
        self.reps = {pci: self.devices["03:00.0"].open_representor(pci) for pci in ("b1:00.0", "b1:00.1")}
        self.engines = {key: comch.ProgressEngine() for key in ("A", "B")}

    def real(self, options: dict[str, Any]) -> dict[str, Any]:
        """The settings of a model as those of a context."""
        tables: dict[str, dict[str, Any]] = {"device": self.devices, "engine": self.engines, "device_rep": self.reps}
        return {name: tables[name].get(value, value) if name in tables else value for name, value in options.items()}

    def add(self, kind: str, options: dict[str, Any]) -> Subject:
        subject = Subject(self.world.make(kind, **options), self._construct(kind, self.real(options)))
        if not LATE:
            subject.model.settings.engine = options.get("engine", "own")
        self.subjects.append(subject)
        return subject

    def _construct(self, kind: str, options: dict[str, Any]) -> Any:
        if LATE:
            return getattr(comch, kind)(**options)
        places = [options.pop(name) for name in ("device", "device_rep", "name") if name in options]
        return getattr(comch, kind)(*places, **options)

    def subject_of(self, context: Context) -> Subject:
        return next(subject for subject in self.subjects if subject.model is context)

    # -- receiving ---------------------------------------------------------------------------------------------

    def take(self, subject: Subject, size: int | None = None) -> type[BaseException] | None:
        """Receive once, with a time-out of 0. The class raised, after it was found right; None for a message."""
        due = subject.model.due()
        expected = subject.model.receive_errors()
        try:
            message = subject.real.receive(size, timeout=0)
        except Exception as error:
            self._check_receive_error(subject, error, due, expected)
            return type(error)
        assert due, f"{subject.model.key} received {message!r} out of nothing"
        end: End = subject.end_of(message.connection) or self._unknown(due, message.data)
        assert end in due, f"{subject.model.key} received {message!r} of {end}; due were {due}"
        subject.learn(end, message.connection)
        assert message.data == end.inbox[0].data, f"{end} gave {message.data!r} instead of {end.inbox[0].data!r}"
        end.take()
        return None

    def _unknown(self, due: list[End], data: bytes) -> End:
        """The end of a connection that was not known before, by its next message."""
        return next(end for end in due if end.inbox[0].data == data)

    def _check_receive_error(self, subject: Subject, error: Any, due: list[End], expected: Errors) -> None:
        what = f"receive on {subject.model.key} raised {error!r} while {due} were due; {_named(expected)}"
        assert isinstance(error, comch.Again) or type(error) in expected, what
        if isinstance(error, comch.Again) and not due:
            for seen in subject.model.ends:
                seen.end_is_news = False
        if not isinstance(error, comch.ConnectionReset):
            assert not due or isinstance(error, comch.Again), what
            return
        end = subject.end_of(error.connection)
        if end is None:
            assert error.connection is None or any(e.reset_is_due for e in subject.model.ends), what
            subject.model.broken_handshakes -= subject.model.broken_handshakes > 0
            return
        if end.state is not EndState.REFUSED:
            assert end.reset_is_due, what
            assert not end.inbox, what
        end.reset_is_due = False

    def receive(self, subject: Subject) -> None:
        """One answer of receive that the model has to give, waited for."""
        model = subject.model
        if model.due() or comch.Again not in model.receive_errors():
            until(lambda: self.take(subject) is not comch.Again, f"receive on {model.key}, {model.ends}")
        else:
            assert self.take(subject) is not None
        if model.role == "server" and model.phase is Phase.ACTIVE:
            self.accept(subject)

    def accept(self, subject: Subject) -> None:
        """Receive until every waiting client has been accepted."""
        waiting = [end.peer for end in subject.model.waiting()]
        if not waiting:
            return

        def up() -> bool:
            self.take(subject)
            return all(error_of(self.connection(end).update_info) is None for end in waiting)

        until(up, f"{subject.model.key} accepts {waiting}")
        self.world.accept(subject.model)

    def refuse(self, subject: Subject, connection: Any) -> None:
        """Receive until a client has been refused, and those beside it have been accepted."""

        def refused() -> bool:
            self.take(subject)
            return error_of(connection.update_info) is comch.ConnectionAborted

        until(refused, f"{subject.model.key} refuses a client")
        self.accept(subject)

    def drain(self, subject: Subject) -> None:
        """Nothing is lost: receive all that is due."""
        while subject.model.due():
            self.receive(subject)

    # -- connections -------------------------------------------------------------------------------------------

    def connection(self, end: End) -> Any:
        return self.subject_of(end.owner).connections[end]

    def known(self, subject: Subject) -> list[End]:
        return list(subject.connections)

    def settle(self) -> None:
        """Wait until every side has noticed what it can notice."""
        for subject in self.subjects:
            if subject.model.phase is not Phase.CLOSED:
                for end, connection in subject.connections.items():
                    self._settle(end, connection)

    def _settle(self, end: End, connection: Any) -> None:
        expected = end.update_info() or frozenset({type(None)})
        until(lambda: (error_of(connection.update_info) or type(None)) in expected, f"update_info of {end}")

    def check_counters(self, end: End) -> None:
        """Sent counts accepted sends, received what the program was given; on a threaded port what has moved."""
        connection = self.connection(end)
        compare(end.update_info(), connection.update_info, f"update_info of {end}")
        if end.update_info():
            return
        assert connection.get_counter(Counter.SENT_MESSAGES) == end.sent, end
        assert connection.get_counter(Counter.SENT_BYTES) == end.sent_bytes, end
        moved = len(end.inbox) if self.world.threaded else 0
        assert 0 <= connection.get_counter(Counter.RECV_MESSAGES) - end.received <= moved, end
        extra = sum(len(message.data) for message in end.inbox) if self.world.threaded else 0
        assert 0 <= connection.get_counter(Counter.RECV_BYTES) - end.received_bytes <= extra, end
        if self.world.threaded:
            until(lambda: connection.in_flight == 0, f"{end} has nothing in flight")
        elif end.state is EndState.UP:
            assert connection.in_flight == end.in_flight, end

    def check_snapshot(self, subject: Subject) -> None:
        """Who is connected, the oldest first, and how many wait."""
        model = subject.model

        def right() -> bool:
            subject.real.update_info()
            connections, ends = subject.real.connections, model.connected()
            known = [subject.end_of(connection) for connection in connections]
            expected = [end if end in subject.connections else None for end in ends]
            if known != expected or (subject.real.pending != len(model.waiting()) and not model.broken_handshakes):
                return False
            for end, connection in zip(ends, connections, strict=True):
                subject.learn(end, connection)
            return True

        until(right, f"the snapshot of {model.key} shows {model.connected()} and {model.waiting()}")

    # -- descriptors -------------------------------------------------------------------------------------------

    def check_fds(self, subject: Subject) -> None:
        """The descriptors given out are the same for the life of the context."""
        for name in ("send_fd", "recv_fd"):
            fd = getattr(subject.real, name)
            if name not in subject.fds and name == "recv_fd":
                subject.epoll.register(fd, select.EPOLLIN)
            assert subject.fds.setdefault(name, fd) == fd, f"{name} of {subject.model.key} has changed"

    def check_wake_up(self, subject: Subject) -> None:
        """Armed now, the receive descriptor is ready if, and only if, receive has something to say."""
        self.check_fds(subject)
        model = subject.model
        if model.due() or comch.Again not in model.receive_errors():
            until(lambda: self._armed(subject, 0.01), f"recv_fd of {model.key} is ready for {model.ends}")
        elif not model.has_news():
            until(lambda: not self._armed(subject, 0.002), f"recv_fd of {model.key} comes to rest, {model.ends}")

    def _armed(self, subject: Subject, timeout_s: float) -> bool:
        subject.real.arm_recv()
        return bool(subject.epoll.poll(timeout_s))

    # -- invariants --------------------------------------------------------------------------------------------

    def check_settings(self, subject: Subject) -> None:
        """What was set reads back, whatever has happened since."""
        settings, real = subject.model.settings, subject.real
        for name in ("device", "name", "max_msg_size", "recv_queue_size", *(["send_queue_size"] if LATE else [])):
            value = getattr(settings, name)
            if value is not None:
                assert getattr(real, name) == self.real({name: value})[name], f"{name} of {subject.model.key}"
        if settings.engine in self.engines:
            assert real.engine is self.engines[settings.engine]
        if settings.device_rep and settings.device:
            assert real.device_rep.devinfo_rep.is_equal_pci_addr(settings.device_rep)
        if LATE:
            assert real.one_sided is settings.one_sided

    def check_state(self, subject: Subject) -> None:
        """The documented state, where the model knows it."""
        expected = _state(subject.model)
        if expected is not None:
            until(lambda: subject.state() is expected, f"{subject.model.key} is {expected!r}")

    def close(self) -> None:
        """Close everything, and find every descriptor given back."""
        for subject in self.subjects:
            subject.real.close()
            subject.epoll.close()
        for engine in self.engines.values():
            engine.destroy()
        for closable in (*self.reps.values(), *self.devices.values()):
            closable.close()
        before = self.descriptors
        until(lambda: len(open_descriptors()) <= len(before), f"{before} stay open, not {open_descriptors()}")


def is_incomplete(model: Context) -> bool:
    """Whether a mandatory setting is missing, or the role of a Channel."""
    settings = model.settings
    rep = settings.device_rep if model.role == "server" else ""
    return model.role is None or None in (settings.device, settings.name, rep)


def _state(model: Context) -> State | None:
    if model.phase is Phase.IDLE:
        return State.IDLE
    if model.phase is Phase.ACTIVE and model.role == "server":
        return State.RUNNING
    if model.phase is Phase.ACTIVE and model.end is not None:
        return {EndState.WAITING: State.STARTING, EndState.UP: State.RUNNING}.get(model.end.state)
    return None


def _named(expected: Errors) -> str:
    return f"the model expects {' or '.join(sorted(kind.__name__ for kind in expected)) or 'success'}"


def open_descriptors() -> list[str]:
    """What each descriptor of this process stands for."""
    kinds = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the one that lists them
            kinds.append(re.sub(r"\d+", "N", os.readlink(f"/proc/self/fd/{number}")))
    return sorted(kinds)
