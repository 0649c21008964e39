"""Descriptors of exports that have been damaged or made up: each is refused, with nothing left open."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comch_next import AccessFlag, Device, InvalidValue, Mmap
from comch_next.driver.emulated._export import MEMFD, NOTICE, Export
from comch_next.driver.emulated._kernel.memory import make_shared
from tests.descriptors import collected_fds, open_fds
from tests.leases import leased, look_alike
from tests.memory.conftest import SIZE


def refuse(descriptor: Any, device: Device) -> None:
    """It is no descriptor, and the refusal costs nothing."""
    before = collected_fds()
    with pytest.raises(InvalidValue, match="mmap_create_from_export"):
        Mmap.create_from_export(descriptor, device)
    assert open_fds() == before


def test_every_damaged_byte_is_found(mmap: Mmap, device: Device) -> None:
    there = mmap.export_pci(device)
    for place in range(len(there)):
        for flip in (0x01, 0x10, 0x80, 0xFF):
            refuse(there[:place] + bytes([there[place] ^ flip]) + there[place + 1 :], device)
    Mmap.create_from_export(there, device).destroy()


def test_every_other_length_is_refused(mmap: Mmap, device: Device) -> None:
    there = mmap.export_pci(device)
    for length in range(len(there)):
        refuse(there[:length], device)
    for longer in (there + b"\0", b"\0" + there, there + there):
        refuse(longer, device)


@pytest.mark.parametrize("wrong", [None, 7, "text", b"", bytes(48), bytes(range(48)), b"x" * (1 << 20)])
def test_what_is_no_descriptor_at_all(device: Device, wrong: Any) -> None:
    refuse(wrong, device)


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_a_descriptor_in_any_bytes(mmap: Mmap, device: Device, kind: Callable[[bytes], Any]) -> None:
    Mmap.create_from_export(kind(mmap.export_pci(device)), device).destroy()


@pytest.mark.parametrize(("place", "other"), [(0, b"CMFP"), (0, b"\0\0\0\0"), (4, b"\2\0"), (4, b"\xff\xff")])
def test_a_descriptor_of_another_kind_or_version(mmap: Mmap, device: Device, place: int, other: bytes) -> None:
    facts = bytearray(mmap.export_pci(device)[:-4])
    facts[place : place + len(other)] = other
    refuse(bytes(facts) + struct.pack("<I", zlib.crc32(facts)), device)


def true_facts(fd: int) -> Export:
    """What an export of this process's descriptor would say."""
    return Export.of(fd, int(AccessFlag.PCI_READ_WRITE), SIZE)


@pytest.mark.parametrize(
    "changes",
    [
        {"pid": 0},
        {"pid": -1},
        {"pid": 1 << 30},
        {"pid": os.getppid()},
        {"fd": -1},
        {"fd": 1 << 30},
        {"birth": 0},
        {"inode": 0},
        {"size": 0},
        {"size": SIZE - 1},
        {"size": SIZE * 2},
        {"size": (1 << 64) - 1},
    ],
)
def test_facts_that_are_not_so(device: Device, changes: dict[str, int]) -> None:
    fd = make_shared(MEMFD, SIZE, commit=True)
    Mmap.create_from_export(true_facts(fd).encode(), device).destroy()
    refuse(true_facts(fd)._replace(**changes).encode(), device)
    os.close(fd)


def test_descriptors_of_what_is_no_memory(device: Device, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    unsealed = os.memfd_create(MEMFD)
    os.ftruncate(unsealed, SIZE)
    with socket.socket() as sock, open(tmp_path / "file", "w+b") as file:
        file.truncate(SIZE)
        for fd in (reader, writer, sock.fileno(), file.fileno(), unsealed):
            refuse(true_facts(fd).encode(), device)
    for fd in (reader, writer, unsealed):
        os.close(fd)


def test_memory_with_a_lease_is_not_waited_for(device: Device) -> None:
    fd = make_shared(MEMFD, SIZE, commit=True)
    again = os.open(f"/proc/self/fd/{fd}", os.O_RDWR | os.O_CLOEXEC)
    with leased(again):
        refuse(true_facts(fd).encode(), device)
    Mmap.create_from_export(true_facts(fd).encode(), device).destroy()
    os.close(again)
    os.close(fd)


@pytest.mark.parametrize("name", [MEMFD, NOTICE])
def test_a_file_that_looks_like_memory_is_not_opened(device: Device, tmp_path: Path, name: str) -> None:
    """Whoever serves its file system may answer that never."""
    fd = look_alike(tmp_path, name)
    with leased(fd):
        refuse(true_facts(fd).encode(), device)
        assert fcntl.fcntl(fd, fcntl.F_GETLEASE) == fcntl.F_WRLCK
    os.close(fd)
