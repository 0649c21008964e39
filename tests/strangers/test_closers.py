"""What cannot be closed without waiting is closed by threads of their own, and holds nobody else up.

`foreign.c` is compiled as it is, with a `close` that waits until the test lets it pass.
"""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from comch_next.driver.emulated import _kernel
from comch_next.driver.emulated._fabric.bells import new_bell
from comch_next.driver.emulated._kernel.memory import make_shared
from tests.control_path.pair import until

_BUILD_S = 60.0
_MOST = 64  # closers, as MOST_CLOSERS of foreign.c


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("closers")
    foreign, gate = Path(_kernel.__file__).with_name("foreign.c"), Path(__file__).with_name("closers.c")
    common = ("gcc", "-c", "-O1", "-fPIC", "-std=gnu11", "-pthread")
    for command in (
        (*common, "-Dclose=gated_close", str(foreign)),
        (*common, str(gate)),
        ("gcc", "-shared", "-pthread", "-o", "closers.so", "foreign.o", "closers.o"),
    ):
        subprocess.run(command, check=True, timeout=_BUILD_S, cwd=folder)
    return folder / "closers.so"


@pytest.fixture
def lib(built: Path, tmp_path: Path) -> Iterator[ctypes.CDLL]:
    """The functions of the kernel, which have closed nothing yet."""
    copy = tmp_path / "closers.so"
    copy.write_bytes(built.read_bytes())
    library = ctypes.CDLL(str(copy))
    yield library
    library.let_pass()
    until(lambda: library.count_held() == 0)


def array(fds: list[int]) -> ctypes.Array[ctypes.c_int]:
    return (ctypes.c_int * len(fds))(*fds)


def discard(lib: ctypes.CDLL, *fds: int) -> None:
    lib.comch_discard(array(list(fds)), len(fds))


def hold(lib: ctypes.CDLL, *fds: int) -> None:
    lib.hold(array(list(fds)), len(fds))


def is_open(fd: int) -> bool:
    with suppress(OSError):
        os.fstat(fd)
        return True
    return False


def null() -> int:
    """A file, of which nobody knows how long its closing takes."""
    return os.open("/dev/null", os.O_RDONLY)


def bell() -> int:
    heard, rung = new_bell()
    os.close(heard)
    return rung


def memory() -> int:
    return make_shared("comch-page", 4096)


def used_bell() -> int:
    heard, rung = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    fd = null()
    with heard:
        socket.send_fds(heard, [b""], [fd])
    os.close(fd)
    return rung.detach()


def end_of_stream() -> int:
    here, there = socket.socketpair()
    there.close()
    return here.detach()


@pytest.mark.parametrize("made", [bell, memory])
def test_what_cannot_wait_is_closed_at_once(lib: ctypes.CDLL, made: Callable[[], int]) -> None:
    risky = null()
    hold(lib, risky)
    discard(lib, risky)  # from now on nobody waits for a closer
    until(lambda: lib.count_held() == 1)
    fd = made()
    discard(lib, fd)
    assert not is_open(fd)


@pytest.mark.parametrize("made", [null, used_bell, end_of_stream])
def test_what_may_wait_is_closed_by_another_thread(lib: ctypes.CDLL, made: Callable[[], int]) -> None:
    fd = made()
    hold(lib, fd)
    discard(lib, fd)
    until(lambda: lib.count_held() == 1)
    assert lib.is_apart()


def test_an_own_socket_with_what_may_wait_in_it(lib: ctypes.CDLL) -> None:
    fd = used_bell()
    hold(lib, fd)
    lib.comch_hang_up(fd)
    until(lambda: lib.count_held() == 1)
    assert lib.is_apart()


def test_an_own_socket_with_what_cannot_wait_in_it(lib: ctypes.CDLL) -> None:
    heard, rung = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with rung:
        for data, made in ((b"", memory), (b"x", bell), (b"", bell)):
            fd = made()
            socket.send_fds(rung, [data], [fd])
            os.close(fd)
        rung.send(b"words")
    risky = null()
    hold(lib, risky)
    discard(lib, risky)
    fd = heard.detach()
    lib.comch_hang_up(fd)
    assert not is_open(fd)


def test_one_that_is_stuck_holds_up_no_other(lib: ctypes.CDLL) -> None:
    stuck, others = null(), [null() for _ in range(5)]
    hold(lib, stuck)
    discard(lib, stuck)
    discard(lib, *others)
    until(lambda: not any(map(is_open, others)))
    assert is_open(stuck)
    lib.let_pass()
    until(lambda: not is_open(stuck))


def test_so_many_are_stuck_that_others_wait(lib: ctypes.CDLL) -> None:
    fds = [null() for _ in range(_MOST + 3)]
    hold(lib, *fds)
    for fd in fds:
        discard(lib, fd)
    until(lambda: lib.count_held() == _MOST)
    lib.let_pass()
    until(lambda: not any(map(is_open, fds)))


def test_once_nothing_is_stuck_the_caller_finds_it_closed(lib: ctypes.CDLL) -> None:
    stuck = null()
    hold(lib, stuck)
    discard(lib, stuck)
    lib.let_pass()
    until(lambda: not is_open(stuck))

    def is_closed_on_return() -> bool:
        fd = null()
        discard(lib, fd)
        return not is_open(fd)

    until(is_closed_on_return)  # on a busy machine a closer may take longer than the caller waits


FORKS = """
import ctypes, os, sys, time, warnings
lib = ctypes.CDLL(sys.argv[1])
def discard(fd): lib.comch_discard((ctypes.c_int * 1)(fd), 1)
stuck = os.open("/dev/null", os.O_RDONLY)
lib.hold((ctypes.c_int * 1)(stuck), 1)
discard(stuck)
while not lib.count_held():  # on a busy machine the closer comes late
    time.sleep(0.001)
warnings.simplefilter("ignore")  # of the thread that this process has
child = os.fork()
if not child:
    lib.let_pass()
    for _ in range(1000):
        fd = os.open("/dev/null", os.O_RDONLY)
        discard(fd)
        try:
            os.fstat(fd)
        except OSError:
            os._exit(0)
    os._exit(1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), lib.count_held())
"""


def test_a_forked_child_has_closers_of_its_own(built: Path) -> None:
    """The process ends, though one of its threads is stuck."""
    command = [sys.executable, "-c", FORKS, str(built)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("0 1\n", "", 0)
