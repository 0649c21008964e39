"""An exception of a signal's handler is not taken for a refusal of the system's, whatever its class and errno."""

from __future__ import annotations

import ast
import builtins
import errno
import fcntl
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from importlib import metadata
from typing import Any

import pytest
from packaging.requirements import Requirement

import comch_next as comch
import comm_channel_compat
from comch_next import _threaded
from comch_next.driver.emulated import _client, _remote
from comch_next.driver.emulated._admin import Admin
from comch_next.driver.emulated._checks import says_no_memory
from comch_next.driver.emulated._fabric import meeting, status, topology
from comch_next.driver.emulated._fabric.greeting import Greeting
from comch_next.driver.emulated._kernel.removal import Removal
from comch_next.driver.protocol import _system, by_system, handing_on, shielded, suppress_system
from comch_next.errors import BadState, NotPermitted
from comm_channel_compat.peer_addr import PeerAddr
from tests.test_arrows import ROOT

DPU, HOST = "03:00.0", "b1:00.0"
ERRORS = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)}
# What no handler raises, or what is meant whoever raises it.
OWN = {"Exception", "MemoryError", "StopIteration", "UnicodeEncodeError", "NotImplementedError"}
# Commands of their own, and both ends of the conformance suite: no call of the program's is in them.
COMMANDS = (
    "comch_next/__main__.py",
    "comch_next/_commands",
    "comch_next/_timeline",
    "comch_next/testing",
    "comm_channel_compat/__main__.py",
    "comm_channel_compat/_launcher",
    "comm_channel_compat/_report.py",
    "comm_channel_compat/_shim",
)
# Clauses that raise it again, unless there is no object of the library's or the error has a number; an import of the
# program's; the end of all.
MEANT = {
    "comch_next/_one_sided_port.py": {"AttributeError"},
    "comch_next/_pulling.py": {"AttributeError"},
    "comch_next/driver/__init__.py": {"AttributeError", "ImportError", "ValueError"},
    "comm_channel_compat/_account.py": {"OSError"},
    "comm_channel_compat/_observed.py": {"AttributeError", "OSError"},
    "comm_channel_compat/flat.py": {"AttributeError", "TypeError"},
}


def handler(*_: object, **options: object) -> Any:
    """Raise what the system might."""
    raise BlockingIOError(errno.EAGAIN, "of the program's")


class Deaf:
    """A socket in whose calls a signal arrives."""

    recv = recvmsg = handler


def make_server() -> None:
    with comch.open_device(DPU) as device, device.open_representor(HOST) as rep, comch.Server(device, rep, "svc"):
        """Its place is swept as it starts."""


def make_client() -> None:
    with comch.open_device(HOST) as device, comch.Client(device, "svc"):
        """It dials."""


CALLS: dict[str, tuple[Any, str, Callable[[], object]]] = {
    "greeting": (Deaf, "recv", lambda: Greeting(None, Deaf()).has_spoken()),  # type: ignore[arg-type]
    "threaded descriptor": (os, "eventfd_read", lambda: _threaded._channels.drain(-1)),
    "topology": (topology, "_read", topology.current),
    "list of servers": (os, "listdir", Admin().create_list),
    "place of a server": (meeting, "_sweep", make_server),
    "name of a server": (os, "stat", lambda: meeting.Listener.intact(object.__new__(meeting.Listener))),
    "dial": (_client, "dial", make_client),
    "memory of the status": (os, "memfd_create", lambda: status.Board.of(1)),
    "removed file": (os, "read", lambda: Removal(-1).drain()),
    "copies of others": (fcntl, "flock", lambda: _remote.await_copies(-1)),
    "creation": (os, "dup", says_no_memory(lambda: os.dup(-1))),
}


@pytest.mark.parametrize("call", CALLS)
def test_it_passes_through(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, name, attempt = CALLS[call]
    monkeypatch.setenv("COMCH_TOPOLOGY" if call == "topology" else "UNUSED", "/proc/nowhere")
    for attribute, value in (("path", ""), ("_removed", False)):
        monkeypatch.setattr(meeting.Listener, attribute, value, raising=False)
    raised: BaseException | None = None
    with monkeypatch.context() as interrupted:
        interrupted.setattr(owner, name, handler)
        try:
            attempt()
        except OSError as error:
            raised = error
    assert type(raised) is BlockingIOError
    assert raised.strerror == "of the program's"


@pytest.mark.parametrize("inside", ["_read", "_device"])
def test_a_handlers_error_is_no_defect_of_the_topology(inside: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(*_: object) -> None:
        raise ValueError("of the program's")

    monkeypatch.setenv("COMCH_TOPOLOGY", "/proc/nowhere" if inside == "_read" else "")
    monkeypatch.setattr(topology, inside, handler)
    with pytest.raises(ValueError, match="of the program's") as raised:
        topology.current()
    assert type(raised.value) is ValueError


def was_ended() -> bool:
    with comch.open_device(DPU) as dpu, dpu.open_representor(HOST) as rep:
        with closing(comch.Server(dpu, rep, "svc")) as server:
            server.listen()
            server._failed = True
            return server._was_ended(object.__new__(comch.Connection))


PROPERTIES: dict[str, tuple[type, str, Callable[[], object]]] = {
    "of a device": (comch.Device, "devinfo", lambda: comch.open_device(DPU).devinfo),
    "of an old object": (PeerAddr, "modern", lambda: comm_channel_compat.unwrap(object.__new__(PeerAddr))),
    "of a connection": (comch.Connection, "server", was_ended),
}


@pytest.mark.parametrize("place", PROPERTIES)
def test_a_handlers_error_in_a_property(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An AttributeError there would be, for Python and for hasattr, an attribute that is not there."""
    errors = [AttributeError("of the program's")]
    owner, name, ask = PROPERTIES[place]

    def handler(thing: object) -> Any:
        raise errors.pop()  # once, as a signal comes

    with monkeypatch.context() as interrupted:
        interrupted.setattr(owner, name, property(handler))
        with pytest.raises(AttributeError, match="of the program's"):
            ask()


def test_what_the_system_refuses_is_meant() -> None:
    for kind in (OSError, FileNotFoundError):
        try:
            os.stat("/proc/nowhere")
        except by_system(kind):
            pass
    with suppress_system(OSError):
        os.makedirs("/proc/nowhere")  # in Python, of the standard library


def test_what_the_library_refuses_is_meant() -> None:
    with suppress_system(comch.DocaError):
        comch.open_device("nothing")


def test_an_error_of_the_librarys_that_a_handler_raises_is_not() -> None:
    def refuse() -> None:
        raise NotPermitted("of the program's")

    with pytest.raises(NotPermitted), suppress_system(PermissionError):
        refuse()


def test_what_a_dependency_raises_is_meant() -> None:
    """It is Python that is no program's, as is tomli's, which stands in for tomllib in Python 3.10."""
    needs = map(Requirement, metadata.requires("doca-channel-compat") or ())
    assert {need.name for need in needs if "extra" not in str(need.marker)} <= _system._NOT_THE_PROGRAMS


def test_what_a_handler_raises_in_a_finalizer_is_not() -> None:
    """It comes later, without a frame of the handler's."""
    late = handing_on(lambda: BlockingIOError(errno.EAGAIN, "of the program's"))

    def run() -> None:
        late()
        for _ in range(1000):
            """It comes where Python looks for signals."""

    with pytest.raises(BlockingIOError), suppress_system(OSError):
        run()


@pytest.mark.parametrize("place", [shielded, handing_on])
def test_a_handler_may_raise_in_what_c_calls(place: Callable[[Callable[[int], Any]], Callable[[int], Any]]) -> None:
    """Its result is there all the same, also when a second signal comes while what the first one raised is handled."""
    first = BlockingIOError(errno.EAGAIN, "the first")
    results: list[int] = []
    raised: set[type[BaseException]] = set()

    def work(number: int) -> BaseException | int:
        signal.raise_signal(signal.SIGINT)
        results.append(number)
        return first if place is handing_on else number

    def run(call: Callable[[], object]) -> None:
        try:
            call()
            for _ in range(1000):
                """It comes where Python looks for signals."""
        except (BlockingIOError, KeyboardInterrupt) as error:
            raised.update(type(each) for each in (error, error.__context__) if each is not None)

    run(partial(run, lambda: place(work)(7)))  # one may come while the other is noted
    assert results == [7]
    assert raised == ({BlockingIOError, KeyboardInterrupt} if place is handing_on else {KeyboardInterrupt})


def contexts(error: BaseException | None) -> Iterator[str]:
    while error is not None:
        yield str(error)
        error = error.__context__


@pytest.mark.parametrize("handled", [None, "handled"])
def test_what_handlers_raise_one_after_the_other_is_in_the_context_of_the_first(handled: str | None) -> None:
    raised = iter(("first", "second", "third"))

    def call() -> None:
        if (text := next(raised, None)) is not None:
            raise KeyError(text)

    def run() -> None:
        shielded(call)()
        for _ in range(1000):
            """It comes where Python looks for signals."""

    def run_within() -> None:
        try:
            raise ValueError(handled)
        except ValueError:
            run()

    with pytest.raises(KeyError) as found:
        run_within() if handled else run()
    assert list(contexts(found.value)) == ["'first'", "'second'", "'third'", *filter(None, [handled])]


def test_other_exceptions_are_not_meant() -> None:
    with pytest.raises(BadState), suppress_system(OSError):
        raise BadState("no OSError")
    with suppress_system(OSError):
        """Nothing is raised."""


def clauses(tree: ast.AST) -> Iterator[tuple[int, list[ast.expr]]]:
    """Yield the line and the exceptions of every clause that ends some."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            yield node.lineno, node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("suppress", "contextlib.suppress"):
            yield node.lineno, node.args


def test_every_clause_for_an_exception_of_pythons_tells_them_apart() -> None:
    """A handler may raise any of them."""
    found: list[str] = []
    again: dict[str, set[str]] = {}
    for package in ("comch_next", "comm_channel_compat"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if not name.startswith(COMMANDS):
                for line, kinds in clauses(ast.parse(path.read_text())):
                    named = {ast.unparse(kind).lstrip("*") for kind in kinds} & {*ERRORS - OWN, "NO_BUFFER"}
                    if named and name in MEANT:
                        again[name] = again.get(name, set()) | named
                    else:
                        found += [f"{name}:{line}: {kind}" for kind in sorted(named)]
    assert found == []
    assert again == MEANT


def test_nothing_forgets_the_dead_in_python() -> None:
    """What the standard library calls there is Python, and what a handler raises in it is lost: see protocol/_weak."""
    found = []
    for package in ("comch_next", "comm_channel_compat"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module == "weakref":
                    found += [f"{path.relative_to(ROOT)}: {alias.name}" for alias in node.names if alias.name != "ref"]
    assert found == []
