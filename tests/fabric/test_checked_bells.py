"""What is offered for a bell is looked at without a wait for whoever has it."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import platform
import select
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from comch_next.driver.emulated._fabric.bells import check_bell, new_bell
from comch_next.errors import ConnectionAborted
from tests.processes import SOON_S, StartPython

_USERFAULTFD = {"x86_64": 323, "aarch64": 282}
_API, _REGISTER = 0xC018AA3F, 0xC020AA00
_VERSION, _MISSING = 0xAA, 1


@contextmanager
def absent_page() -> Iterator[tuple[mmap.mmap, int]]:
    """A page that does not come while the block runs: whoever touches it waits. The descriptor tells of that."""
    fd = ctypes.CDLL(None).syscall(_USERFAULTFD.get(platform.machine(), -1), os.O_CLOEXEC)
    if fd < 0:
        pytest.skip("only root can have another thread wait in the kernel for a page")
    page = mmap.mmap(-1, mmap.PAGESIZE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    try:
        fcntl.ioctl(fd, _API, struct.pack("QQQ", _VERSION, 0, 0))
        fcntl.ioctl(fd, _REGISTER, struct.pack("QQQQ", address, mmap.PAGESIZE, _MISSING, 0))
        yield page, fd
    finally:
        os.close(fd)


def check_one_in_use() -> None:
    """It is received from without end: Linux copies what has come while it has the socket's lock."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as near:
        far, _ = listener.accept()
        with far:
            far.send(b"x")
            with absent_page() as (page, faults):
                holder = Thread(target=near.recv_into, args=(page,))
                holder.start()
                assert select.select([faults], [], [], SOON_S)[0]
                with pytest.raises(ConnectionAborted, match="a bell's descriptor"):
                    check_bell(near.fileno())
            holder.join()


def test_a_socket_whose_lock_is_held(start_python: StartPython) -> None:
    with absent_page():
        pass  # here, too, or the test is skipped
    program = f"from {__name__} import check_one_in_use; check_one_in_use(); print('refused')"
    assert start_python("-c", program).succeed() == "refused\n"


def test_only_bells_are_bells() -> None:
    heard, rung = new_bell()
    others = [os.open("/dev/null", os.O_RDONLY), os.eventfd(0), *os.pipe()]
    for family, kind in ((socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM)):
        others.append(socket.socket(family, kind).detach())
    assert [check_bell(heard), check_bell(rung)] == [heard, rung]
    for fd in others:
        with pytest.raises(ConnectionAborted, match="a bell's descriptor"):
            check_bell(fd)
    for fd in (heard, rung, *others):
        os.close(fd)
