"""Exports of memory that the program brought: it stays in its process, and tasks of the importer reach it there."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace

import pytest

from comch_next import (
    AccessFlag,
    Buf,
    BufInventory,
    Consumer,
    Device,
    InvalidValue,
    Mmap,
    NotPermitted,
    NotSupported,
    PostRecvTask,
)
from comch_next.driver.emulated import _remote
from comch_next.driver.emulated._export import NOTICE, Export
from comch_next.driver.emulated._kernel.memory import ffi
from comch_next.driver.emulated._remote import _FACTS, _SEALS
from tests.fast_path.lane import Inbox, Lane
from tests.processes import Child, StartPython

SIZE = 1 << 17
EXPORTER = """
import sys
from comch_next import AccessFlag, Mmap, open_device
host = open_device("b1:00.0")
memory = bytearray(1 << 17)
mmap = Mmap(host, memory, AccessFlag[sys.argv[1]])
mmap.start()
memory[:5] = b"there"
print("export", mmap.export_pci(host).hex(), flush=True)
for line in sys.stdin:
    word, _, data = line.strip().partition(" ")
    if word == "write":
        memory[: len(data)] = data.encode()
    elif word == "destroy":
        mmap.destroy()
    print("done", bytes(memory[:8]).decode(), flush=True)
"""
# Have Linux answer EPERM to process_vm_readv, as a container's filter of system calls may.
FILTERED = """
import ctypes, os, platform, struct
NUMBERS = {"x86_64": 310, "aarch64": 270}
LOAD, EQUAL, RETURN, ALLOW, ERRNO = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000
steps = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, NUMBERS[platform.machine()]), (RETURN, 0, 0, ERRNO | 1), (RETURN, 0, 0, ALLOW)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
prctl = ctypes.CDLL(None, use_errno=True).prctl
prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
assert prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
assert prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.addressof(program), 0, 0) == 0, os.strerror(ctypes.get_errno())
import comch_next as comch
host = comch.open_device("b1:00.0")
"""


def exporter(start_python: StartPython, permission: str = "PCI_READ_WRITE") -> tuple[Child, bytes]:
    """A process with an exported map of a bytearray, and its descriptor."""
    child = start_python("-c", EXPORTER, permission)
    return child, bytes.fromhex(child.wait_for("export").split()[1])


def ask(child: Child, what: str) -> str:
    """Have the exporter do something; what its memory begins with then."""
    child.say(what + "\n")
    return child.wait_for("done").removeprefix("done ")


@pytest.fixture
def lane() -> Iterator[Lane]:
    """What the test puts into it ends with it."""
    made = Lane(memory=SIZE)
    yield made
    made.close()


def send(lane: Lane, mmap: Mmap, length: int) -> None:
    """Send the first bytes of a map."""
    buf = lane.outbox.inventory.buf_get_by_data(mmap, mmap.addr, length)
    lane.outbox.producer.task_send_alloc_init(buf, b"", lane.inbox.consumer.id).submit()


def receive_into(lane: Lane, there: bytes) -> None:
    """Have the lane's consumer receive into the exporter's memory."""
    lane.inbox.consumer.destroy()
    lane.inbox.mmap.destroy()
    lane.inbox.mmap = Mmap.create_from_export(there, lane.there.context.device)
    lane.inbox.consumer = Consumer(lane.there.connection, lane.inbox.mmap)
    lane.inbox.consumer.task_post_recv_set_conf(partial(_received, lane.inbox), lane.inbox._failed, 4)
    lane.inbox._free = [lane.inbox.mmap.addr]


def _received(inbox: Inbox, task: PostRecvTask) -> None:
    inbox.received.append((None, task.imm_data))
    inbox._give_back(task)


def test_an_import_has_the_exporters_addresses_and_shows_nothing(device: Device) -> None:
    with Mmap(device, bytearray(SIZE), AccessFlag.PCI_READ_WRITE) as own:
        assert own.export_pci(device) == own.export_pci(device)
        assert own.exported
        with Mmap.create_from_export(own.export_pci(device), device) as mmap, BufInventory(1) as inventory:
            assert mmap.memrange == own.memrange
            assert mmap.from_export
            buf = inventory.buf_get_by_data(mmap, own.addr, 5)
            holders: list[Mmap | Buf] = [mmap, buf]
            for holder in holders:
                with pytest.raises(NotSupported, match="only tasks reach it"):
                    _ = holder.view
            buf.dec_refcount()


@pytest.mark.parametrize("length", [8, SIZE])
def test_a_send_reads_what_the_exporter_has_there_then(length: int, lane: Lane, start_python: StartPython) -> None:
    child, there = exporter(start_python, "PCI_READ_ONLY")
    lane.run()
    with Mmap.create_from_export(there, lane.here.context.device) as mmap:
        for text in ("first", "again"):
            ask(child, f"write {text}")
            lane.inbox.post(room=SIZE)
            send(lane, mmap, length)
            lane.until(lambda: lane.inbox.received and lane.outbox.sent)
            assert lane.inbox.received.pop() == (text.encode() + bytes(length - 5), None)
            lane.outbox.sent = 0
            lane.inbox._free = [lane.inbox.mmap.addr]


def test_a_receive_ends_once_the_exporter_has_the_bytes(lane: Lane, start_python: StartPython) -> None:
    child, there = exporter(start_python)
    receive_into(lane, there)
    lane.run()
    lane.inbox.post()
    lane.outbox.send(lane.inbox.consumer.id, b"written")
    lane.until(lambda: lane.inbox.received)
    assert ask(child, "show") == "written\0"


@pytest.mark.parametrize("how", ["destroy", "kill"])
def test_tasks_fail_once_the_exporter_has_gone(how: str, lane: Lane, start_python: StartPython) -> None:
    child, there = exporter(start_python)
    receive_into(lane, there)
    lane.run()
    lane.inbox.post()
    with Mmap.create_from_export(there, lane.here.context.device) as mmap:
        if how == "destroy":
            ask(child, "destroy")
        else:
            child.signal(signal.SIGKILL)
            child.finish()
        send(lane, mmap, 8)
        lane.until(lambda: lane.outbox.failed)
        lane.outbox.send(lane.inbox.consumer.id, b"lost")
        lane.until(lambda: lane.inbox.failed)
    assert lane.outbox.failed == lane.inbox.failed == ["IO_FAILED"]


def test_what_is_forged_reaches_nothing(device: Device) -> None:
    with Mmap(device, bytearray(SIZE), AccessFlag.PCI_READ_ONLY) as own:
        real = Export.decode(own.export_pci(device))
        other = os.memfd_create("comch-notice")
        os.write(other, b"what")
        forged = [
            real._replace(permissions=int(AccessFlag.PCI_READ_WRITE)),
            real._replace(size=real.size + 1),
            real._replace(fd=other, inode=os.fstat(other).st_ino),
        ]
        for export in forged:
            with pytest.raises(InvalidValue, match="something else there"):
                Mmap.create_from_export(export.encode(), device)
        os.close(other)


def test_where_linux_lets_no_process_read_another(device: Device, start_python: StartPython) -> None:
    with Mmap(device, bytearray(SIZE), AccessFlag.PCI_READ_ONLY) as own:
        there = own.export_pci(device)
        attempt = f"comch.Mmap.create_from_export(bytes.fromhex('{there.hex()}'), host)"
        ended = start_python("-c", f"{FILTERED}\n{attempt}").finish()
        assert "NotPermitted" in ended.stderr.splitlines()[-1]
        assert f"process {os.getpid()} cannot be read: " in ended.stderr
    brought = (
        "mmap = comch.Mmap(host, bytearray(64), comch.AccessFlag.PCI_READ_ONLY); mmap.start(); mmap.export_pci(host)"
    )
    ended = start_python("-c", f"{FILTERED}\n{brought}").finish()
    assert "NotSupported" in ended.stderr.splitlines()[-1]
    assert "alloc_memrange" in ended.stderr


def test_a_consumer_takes_no_memory_that_may_only_be_read(lane: Lane, start_python: StartPython) -> None:
    _, there = exporter(start_python, "PCI_READ_ONLY")
    with Mmap.create_from_export(there, lane.there.context.device) as mmap:
        with pytest.raises(NotPermitted, match="PCI_READ_WRITE"):
            Consumer(lane.there.connection, mmap)


@pytest.mark.parametrize("size", [0, 1 << 63, (1 << 64) - 1])
def test_a_range_that_no_memory_has(device: Device, size: int) -> None:
    """A lying exporter: it has the notice of it, and memory where that begins."""
    permissions, memory = int(AccessFlag.PCI_READ_WRITE), ffi.new("char[]", SIZE)
    addr = int(ffi.cast("uintptr_t", memory))
    notice = os.memfd_create(NOTICE, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(notice, _FACTS.pack(addr, size, permissions))
    fcntl.fcntl(notice, fcntl.F_ADD_SEALS, _SEALS)
    with pytest.raises(InvalidValue, match="mmap_create_from_export"):
        Mmap.create_from_export(Export.of(notice, permissions, size).encode(), device)
    os.close(notice)


def test_maps_that_somebody_keeps_from_going_wait_once(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of the same user may keep the locks that importers hold while they copy, and those of all maps."""
    now = [1000.0]
    held: list[int] = []
    maps: list[Mmap] = []
    clock = SimpleNamespace(sleep=lambda seconds: now.append(now[-1] + seconds))
    monkeypatch.setattr(_remote, "time", clock)
    monkeypatch.setattr(_remote, "monotonic", lambda: now[-1])
    monkeypatch.setattr(_remote, "_patient_from", 0.0)

    def waited(count: int) -> float:
        """How long so many maps take to go, all together."""
        for _ in range(count):
            mmap = Mmap(device, bytearray(SIZE), AccessFlag.PCI_READ_WRITE)
            mmap.start()
            export = Export.decode(mmap.export_pci(device))
            held.append(export.open())
            fcntl.flock(held[-1], fcntl.LOCK_SH)
            maps.append(mmap)
        began = now[-1]
        while maps:
            maps.pop().destroy()
        while held:
            os.close(held.pop())
        return now[-1] - began

    assert waited(20) == pytest.approx(_remote._PATIENCE_S, abs=0.01)
    assert waited(20) == 0.0
    now.append(now[-1] + _remote._RESPITE_S)
    assert waited(20) == pytest.approx(_remote._PATIENCE_S, abs=0.01)
