"""Exports and imports: two processes with the same memory, and what ends that."""

from __future__ import annotations

import signal

import pytest

from comch_next import AccessFlag, BufInventory, Consumer, Device, InUse, InvalidValue, Mmap, NotPermitted, open_device
from tests.descriptors import collected_fds, open_fds
from tests.fast_path.lane import Lane
from tests.memory.conftest import SIZE
from tests.processes import Child, StartPython

EXPORTER = """
import sys
from comch_next import AccessFlag, Mmap, open_device
host = open_device("b1:00.0")
mmap = Mmap(host, 4096, AccessFlag[sys.argv[1]])
mmap.start()
mmap.view[:5] = b"there"
print("export", mmap.export_pci(host).hex(), flush=True)
for line in sys.stdin:
    word, _, data = line.strip().partition(" ")
    if word == "write":
        mmap.view[: len(data)] = data.encode()
    elif word == "destroy":
        mmap.destroy()
    print("done", bytes(mmap.view[:8]).decode() if word != "destroy" else "", flush=True)
"""


def exporter(start_python: StartPython, permission: str = "PCI_READ_WRITE") -> tuple[Child, bytes]:
    """A process with an exported map, and its descriptor."""
    child = start_python("-c", EXPORTER, permission)
    return child, bytes.fromhex(child.wait_for("export").split()[1])


def ask(child: Child, what: str) -> str:
    """Have the exporter do something; what its memory begins with then."""
    child.say(what + "\n")
    return child.wait_for("done").removeprefix("done ")


@pytest.mark.parametrize("pci_addr", ["b1:00.0", "03:00.0"])
def test_both_processes_write_and_see_the_same(start_python: StartPython, pci_addr: str) -> None:
    child, there = exporter(start_python)
    with open_device(pci_addr) as device, Mmap.create_from_export(there, device, "mine") as mmap:
        assert (mmap.from_export, mmap.exported, mmap.user_data, len(mmap)) == (True, False, "mine", SIZE)
        assert bytes(mmap.view[:6]) == b"there\0"
        mmap.view[:5] = b"HERE!"
        assert ask(child, "show") == "HERE!\0\0\0"
        assert ask(child, "write again") == "again\0\0\0"
        with BufInventory(1) as inventory:
            buf = inventory.buf_get_by_data(mmap, mmap.addr, 5)
            assert bytes(buf.view) == b"again"
            buf.view[:] = b"buf!!"
            buf.dec_refcount()
        assert ask(child, "show") == "buf!!\0\0\0"
    assert child.finish().returncode == 0


def test_a_read_only_import_sees_and_does_not_write(device: Device, start_python: StartPython) -> None:
    child, there = exporter(start_python, "PCI_READ_ONLY")
    with Mmap.create_from_export(there, device) as mmap, BufInventory(1) as inventory:
        buf = inventory.buf_get_by_data(mmap, mmap.addr, 8)
        for view in (mmap.view, buf.view):
            assert bytes(view[:5]) == b"there"
            with pytest.raises(TypeError, match="read-only"):
                view[0] = 1
        assert ask(child, "write news") == "newse\0\0\0"
        assert bytes(mmap.view[:4]) == bytes(buf.view[:4]) == b"news"
        buf.dec_refcount()


def test_an_import_outlives_its_exporter(device: Device, start_python: StartPython) -> None:
    child, there = exporter(start_python)
    with Mmap.create_from_export(there, device) as mmap:
        child.signal(signal.SIGKILL)
        child.finish()
        assert bytes(mmap.view[:5]) == b"there"
        mmap.view[-1] = 1
        with pytest.raises(InvalidValue, match="gone"):
            Mmap.create_from_export(there, device)


def test_a_destroyed_map_cannot_be_imported_any_more(device: Device, start_python: StartPython) -> None:
    child, there = exporter(start_python)
    with Mmap.create_from_export(there, device) as before:
        ask(child, "destroy")
        with pytest.raises(InvalidValue, match="gone"):
            Mmap.create_from_export(there, device)
        assert bytes(before.view[:5]) == b"there"


def test_a_later_map_on_the_same_descriptor_is_another(device: Device) -> None:
    first = Mmap(device, SIZE, AccessFlag.PCI_READ_WRITE)
    first.start()
    there = first.export_pci(device)
    first.destroy()
    with Mmap(device, SIZE, AccessFlag.PCI_READ_WRITE) as second:
        again = second.export_pci(device)
        assert again != there
        with pytest.raises(InvalidValue, match="gone"):
            Mmap.create_from_export(there, device)
        Mmap.create_from_export(again, device).destroy()


def test_an_import_cannot_be_configured_stopped_or_exported(mmap: Mmap, device: Device) -> None:
    with Mmap.create_from_export(mmap.export_pci(device), device) as imported:
        for attempt in (imported.start, imported.stop, lambda: imported.export_pci(device)):
            with pytest.raises(NotPermitted, match="import"):
                attempt()
        for add in (imported.add_dev, imported.rm_dev):
            with pytest.raises(NotPermitted, match="an import, which cannot be configured"):
                add(device)
        with open_device("b1:00.0") as other:
            with pytest.raises(NotPermitted):
                imported.add_dev(other)


def test_an_exported_map_is_started_for_good(mmap: Mmap, device: Device) -> None:
    assert not mmap.exported
    assert mmap.export_pci(device) == mmap.export_pci(device)
    assert mmap.exported
    for attempt in (mmap.stop, mmap.start):
        with pytest.raises(NotPermitted, match="has been exported"):
            attempt()


def test_an_import_holds_its_device(mmap: Mmap, device: Device) -> None:
    other = open_device("b1:00.0")
    imported = Mmap.create_from_export(mmap.export_pci(device), other)
    with pytest.raises(InUse):
        other.close()
    imported.destroy()
    other.close()
    with pytest.raises(InvalidValue, match="open"):
        Mmap.create_from_export(mmap.export_pci(device), other)


def test_a_consumer_receives_into_the_exporters_memory(start_python: StartPython) -> None:
    """What a producer sends lies in a third process's memory, which the consumer has imported."""
    child, there = exporter(start_python)
    lane = Lane()
    device = lane.there.context.device
    own, lane.inbox.mmap = lane.inbox.mmap, Mmap.create_from_export(there, device)
    lane.inbox.consumer.destroy()
    own.destroy()
    lane.inbox.consumer = Consumer(lane.there.connection, lane.inbox.mmap)
    lane.inbox.consumer.task_post_recv_set_conf(lane.inbox._done, lane.inbox._failed, 1)
    lane.inbox._free = [lane.inbox.mmap.addr]
    lane.run()
    lane.inbox.post()
    lane.outbox.send(lane.inbox.consumer.id, b"written")
    lane.until(lambda: lane.inbox.received)
    assert ask(child, "show") == "written\0"
    lane.close()


def test_a_consumer_takes_no_memory_that_may_only_be_read(start_python: StartPython) -> None:
    _, there = exporter(start_python, "PCI_READ_ONLY")
    lane = Lane()
    with Mmap.create_from_export(there, lane.there.context.device) as mmap:
        with pytest.raises(NotPermitted, match="PCI_READ_WRITE"):
            Consumer(lane.there.connection, mmap)
        assert mmap.num_bufs == 0
    lane.close()


def test_nothing_is_kept_open(mmap: Mmap, device: Device) -> None:
    """Over many imports, good and refused; the fixtures see to the maps themselves."""
    there = mmap.export_pci(device)
    before = collected_fds()
    for number in range(200):
        Mmap.create_from_export(there, device).destroy()
        with pytest.raises(InvalidValue):
            Mmap.create_from_export(there[:-1] + bytes([there[-1] ^ (1 + number % 255)]), device)
        Mmap(device, SIZE, AccessFlag.PCI_READ_WRITE).destroy()
    assert open_fds() == before
    kept = [Mmap.create_from_export(there, device) for _ in range(10)]
    assert open_fds() == before + 10, "one each, by which it could be handed on"
    for each in kept:
        each.destroy()
    assert open_fds() == before
