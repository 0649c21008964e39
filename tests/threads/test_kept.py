"""What an object of the library keeps changes under its lock only, its engine's: no thread sees it half changed.

Every assignment to an attribute of a made object is watched, whichever class and method it is in. Streams are not among
them: a stream is one caller's.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from types import FrameType, MemberDescriptorType
from typing import Any

import pytest

import comch_next as comch
import comm_channel_compat as old
from comch_next import Channel, Client, Server, State
from tests.control_path.pair import DPU, HOST, REP, ignore, leave, pair, until
from tests.fast_path.lane import Lane
from tests.processes import SOON_S
from tests.pull.support import FORMS

_PACKAGES = ("comch_next.", "comm_channel_compat.")
_BELOW = ("comch_next.driver.", "comch_next.capi.")
_FEWEST = 20  # different assignments of a life, or the others were none


class Assignments:
    """By class, attribute and method: those seen, and those without the lock."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str, str]] = set()
        self.bare: set[tuple[str, str, str]] = set()

    def note(self, thing: object, name: str, frame: FrameType) -> None:
        if _is_set_by_a_call(type(thing), name) or _is_made(thing, frame):
            return
        lock: Any = getattr(thing, "_lock", None)
        if lock is None:
            return
        found = type(thing).__name__, name, frame.f_code.co_name
        self.seen.add(found)
        if not lock._is_owned():
            self.bare.add(found)


def _is_set_by_a_call(kind: type, name: str) -> bool:
    """As a property is, whose own assignments are watched."""
    attribute = inspect.getattr_static(kind, name, None)
    return hasattr(attribute, "__set__") and not isinstance(attribute, MemberDescriptorType)


def _is_made(thing: object, frame: FrameType | None) -> bool:
    """Whether this is in its constructor: nobody else has it yet."""
    while frame is not None:
        if frame.f_code.co_name == "__init__" and frame.f_locals.get("self") is thing:
            return True
        frame = frame.f_back
    return False


def _kinds() -> Iterator[type]:
    for name, module in list(sys.modules.items()):
        if f"{name}.".startswith(_PACKAGES) and not name.startswith(_BELOW):
            for kind in vars(module).values():
                if inspect.isclass(kind) and kind.__module__ == name and not issubclass(kind, (tuple, BaseException)):
                    yield kind


@pytest.fixture
def assignments(monkeypatch: pytest.MonkeyPatch) -> Assignments:
    watched = Assignments()

    def watch(kind: Any) -> None:
        plain = kind.__setattr__

        def assign(thing: object, name: str, value: object) -> None:
            watched.note(thing, name, sys._getframe(1))
            plain(thing, name, value)

        monkeypatch.setattr(kind, "__setattr__", assign)

    own = {kind for kind in _kinds() if "__setattr__" in vars(kind)}
    plain = {kind for kind in _kinds() if inspect.getattr_static(kind, "__setattr__") is vars(object)["__setattr__"]}
    for kind in own | {kind for kind in plain if not plain & set(kind.__mro__[1:])}:
        watch(kind)
    return watched


def contexts() -> None:
    """Two that connect, twice, with other settings and engines."""
    with Server(comch.open_device(DPU), REP, "svc") as server, comch.open_device(HOST) as device:
        client = Client(device, "svc")
        client.set_state_changed_cb(ignore)
        engines = [comch.ProgressEngine() for _ in range(2)]
        for size, engine in zip((100, 200), engines, strict=True):
            client.max_msg_size = size
            client.engine = engine
            client.connect(timeout=0)
            while client.state is not State.RUNNING:
                comch.outcome(server.receive, timeout=0)
                client.engine.progress()
            client.connection.send(b"there", SOON_S)
            server.receive(timeout=SOON_S).reply(b"back", SOON_S)
            client.receive(timeout=SOON_S)
            assert client.port is not None
            client.disconnect()
            client.port.reopen(max_msg_size=size)
        assert client.port is not None
        client.port.close()
        client.destroy()
        for engine in engines:
            engine.destroy()


def callbacks() -> None:
    """Two that are called back."""
    there, here = pair()
    here.send()
    until(lambda: there.messages and here.done, there.engine, here.engine)
    leave(here, there)


def channels() -> None:
    """One that is a server, and then a client."""
    device = comch.open_device(DPU)
    with Channel(device, REP, "svc") as channel:
        channel.listen()
        channel.arm_service()
        channel.update_info()
        channel.stop()
        channel.start()
        channel.stop()
        channel.configure(recv_queue_size=16)
        comch.outcome(channel.connect, timeout=0)


def endpoints() -> None:
    """Two of generation 1."""
    service, endpoint = old.Endpoint(), old.Endpoint()
    dpu, host = old.open_device(DPU), old.open_device(HOST)
    service.set_device(dpu)
    service.set_device_rep(dpu.open_representor(REP))
    endpoint.set_device(host)
    for each in (service, endpoint):
        each.set_max_msg_size(200)
        each.set_send_queue_size(8)
        each.set_recv_queue_size(8)
    service.listen("old")
    peer = endpoint.connect("old")
    comch.outcome(service.recvfrom, 100)
    comch.outcome(endpoint.sendto, b"x", peer)
    endpoint.disconnect(peer)
    for each in (endpoint, service):
        each.destroy()


def fast_path() -> None:
    """A consumer and a producer, whose tasks and buffers come and go."""
    lane = Lane().run()
    lane.inbox.post()
    lane.outbox.send(lane.inbox.consumer.id, b"data")
    lane.until(lambda: lane.inbox.received)
    lane.close()


LIVES: tuple[Callable[[], None], ...] = (contexts, callbacks, channels, endpoints, fast_path)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.__name__)
def test_what_is_kept_changes_under_the_lock(
    assignments: Assignments, monkeypatch: pytest.MonkeyPatch, life: Callable[[], None], form: str
) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    life()
    assert assignments.bare == set()
    assert len(assignments.seen) >= _FEWEST
