"""An interrupt between two steps of the library's work: nothing is lost, and no descriptor is left."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

import comch_next as comch
from comch_next import AccessFlag, Mmap
from comch_next.driver import load
from comch_next.driver.emulated import _remote
from tests.control_path.pair import DPU, REP, until
from tests.descriptors import collected_fds, open_fds
from tests.fast_path.lane import SIZE, Inbox, Lane
from tests.interrupts.strike import each_place
from tests.interrupts.test_half_done import interrupted


@pytest.fixture(autouse=True)
def handler(runtime_dir: object) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def once_interrupted(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call, at whose first end a signal comes."""
    signals = iter([signal.SIGINT])

    def run(*args: Any, **named: Any) -> Any:
        result = call(*args, **named)
        for number in signals:
            signal.raise_signal(number)
        return result

    return run


class Imported:
    """A lane whose consumer receives into memory that its exporter brought, and whose producer sends from such."""

    def __init__(self) -> None:
        self.lane = Lane().run()
        self.device = device = comch.open_device(DPU)
        self.memory = bytearray(SIZE)
        self.exported = Mmap(device, self.memory, AccessFlag.PCI_READ_WRITE)
        self.exported.start()
        descriptor = self.exported.export_pci(device)
        self.inbox = self.lane.inbox
        self.inbox.consumer.stop()
        self.lane.until(lambda: self.inbox.consumer.state is comch.State.IDLE)
        self.inbox.consumer.destroy()
        self.mmap = Mmap.create_from_export(descriptor, device)
        self.inbox.consumer = comch.Consumer(self.lane.there.connection, self.mmap, engine=self.lane.there.engine)
        self.ended: list[comch.PostRecvTask] = []  # no more than that: a callback can be interrupted
        self.inbox.consumer.task_post_recv_set_conf(self.ended.append, self.ended.append, 4)
        self.inbox.consumer.start()
        self.number = self.inbox.consumer.id
        self.lane.until(lambda: self.inbox.consumer.state is comch.State.RUNNING and self.number in self.lane.news)

    def send(self) -> None:
        buf = self.inbox.inventory.buf_get_by_addr(self.mmap, self.mmap.addr, 64)
        self.inbox.consumer.task_post_recv_alloc_init(buf).submit()
        del buf
        self.lane.outbox.send_on(self.number, b"hello", self.lane.here.engine)

    def results(self) -> list[tuple[str, bytes]]:
        """How the receives have ended, and what the exporter has."""
        found = [(task.status.name, bytes(self.memory[:5])) for task in self.ended]
        for task in self.ended:
            self.inbox._give_back(task)
        self.ended.clear()
        self.memory[:5] = bytes(5)
        return found

    def close(self) -> None:
        self.inbox.mmap.destroy()
        self.inbox.mmap = self.mmap
        self.lane.close()
        self.exported.destroy()
        self.device.close()


@pytest.fixture
def imported() -> Iterator[Imported]:
    made = Imported()
    yield made
    made.close()


def test_a_receive_into_an_exporters_memory(imported: Imported, monkeypatch: pytest.MonkeyPatch) -> None:
    imported.send()
    monkeypatch.setattr(_remote, "_copy", once_interrupted(_remote._copy))
    with pytest.raises(KeyboardInterrupt):
        until(lambda: imported.ended, imported.lane.there.engine)
    assert imported.results() == [("SUCCESS", b"hello")]


def test_a_receive_into_an_exporters_memory_at_every_place(imported: Imported) -> None:
    engine = imported.lane.there.engine
    for strike in each_place(30, 3):
        imported.send()
        before = open_fds()
        strike.hit(lambda: until(lambda: imported.ended, engine))
        until(lambda: imported.ended, engine)
        with suppress(KeyboardInterrupt):
            engine.progress()
        assert imported.results() == [("SUCCESS", b"hello")], strike.place
        assert open_fds() == before, strike.place


@pytest.mark.parametrize("most", [None, 1])
def test_a_callback_of_a_receive(most: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[type[BaseException] | None] = []

    def done(inbox: Inbox, task: comch.PostRecvTask) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            ends.append(None)
        except BaseException as error:
            ends.append(type(error))
        inbox._give_back(task)

    monkeypatch.setattr(Inbox, "_done", done)
    lane = Lane().run()
    lane.inbox.consumer.engine.max_events = most
    lane.inbox.post()
    lane.outbox.send(lane.inbox.consumer.id, b"x")
    with suppress(KeyboardInterrupt):  # too late
        lane.until(lambda: ends)
    assert ends == [KeyboardInterrupt]
    lane.close()


def test_an_export_of_brought_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    device = comch.open_device(DPU)
    mmap = Mmap(device, bytearray(SIZE), AccessFlag.PCI_READ_WRITE)
    mmap.start()
    before = collected_fds()
    with monkeypatch.context() as patched:
        patched.setattr(os, "memfd_create", once_interrupted(os.memfd_create))
        with pytest.raises(KeyboardInterrupt):
            mmap.export_pci(device)
    mmap.destroy()
    assert open_fds() == before


def test_a_list_of_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    server = comch.Server(comch.open_device(DPU), REP, "svc")
    server.listen()
    admin = load(None).admin
    assert admin is not None
    before = collected_fds()
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", interrupted(os.open))
        with pytest.raises(KeyboardInterrupt):
            admin.create_list()
    assert open_fds() == before
    server.close()
