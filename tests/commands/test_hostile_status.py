"""``admin`` before directories, lock files and boards that somebody has made up: it says so, and goes on."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import AlreadyExist, NotPermitted
from comch_next.__main__ import main
from comch_next.driver.emulated._fabric import meeting
from comch_next.driver.emulated._fabric.status import BOARD, CELL, Status
from comch_next.driver.protocol import ServerStatus
from tests.commands.support import ask, run
from tests.control_path.pair import leave, server
from tests.faults.forking import in_child
from tests.leases import leased, look_alike
from tests.processes import StartPython

DPU, REP = "0000:03:00.0", "0000:b1:00.0"
STEM = meeting.file_name(DPU, REP, "svc")
HONEST = Status.of_this_process("svc", DPU, REP, 512, None)


def changed(**fields: object) -> bytes:
    """The honest status with other fields, and perhaps more."""
    return json.dumps({**json.loads(HONEST.encode()), **fields}).encode()


@pytest.fixture
def held(runtime_dir: Path) -> Iterator[int]:
    """A lock file that is held as a living server holds it."""
    lock = os.open(runtime_dir / f"{STEM}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    yield lock
    os.close(lock)


def the_one() -> ServerStatus:
    admin = comch.driver.load().admin
    assert admin is not None
    (found,) = admin.create_list()
    return found


# The status

DAMAGED = {
    "rubbish": bytes(range(256)),
    "half": HONEST.encode()[:-20],
    "twice": HONEST.encode() * 2,
    "a list": b"[]",
    "a number": b"7",
    "an endless number": b"7" * (1 << 18),
    "deep": b"[" * (1 << 18),
    "infinite": changed().replace(str(HONEST.pid).encode(), b"1e999"),
    "endless": b" " * (1 << 21) + HONEST.encode(),
    "one more": changed(more=1),
    "one less": json.dumps({"name": "svc"}).encode(),
    "a name of no text": changed(name=["svc"]),
    "a truth for a number": changed(pid=True),
    "a number as text": changed(pid="1"),
    "below all numbers": changed(board_fd=-2),
    "above all numbers": changed(pid=1 << 63),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_status(held: int, name: str) -> None:
    os.write(held, DAMAGED[name])
    assert the_one() == ServerStatus(f"{STEM}.lock", fault="damaged status")


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (b"", "no status"),
        (changed(version=HONEST.version + 1), f"status of version {HONEST.version + 1}, this release reads"),
        (json.dumps({"version": 1}).encode(), "status of version 1, this release reads"),
        (changed(cell=CELL + 8), "status of another build"),
        (changed(name="another"), "status of another server"),
        (changed(name="svc\0"), "status of another server"),
        (changed(device="../../etc"), "status of another server"),
        (changed(pid=1 << 40), f"status of process {1 << 40}, which cannot be seen from here"),
        (changed(pid=0), "status of process 0, which"),
        (changed(pid=-1), "status of process -1, which"),
        (changed(since=0), f"status of process {os.getpid()}, which"),  # it is younger than what it has written
    ],
    ids=["none", "version", "other fields", "cell", "name", "NUL", "device", "far pid", "pid 0", "pid -1", "too old"],
)
def test_a_status_that_cannot_be_true(held: int, status: bytes, fault: str) -> None:
    os.write(held, status)
    found = the_one()
    assert (found.name, found.pid, found.connections) == (None, None, None)
    assert found.fault is not None
    assert found.fault.startswith(fault)


def test_how_it_shows(held: int, start_python: StartPython) -> None:
    there = server("honest")
    there.context.start()
    os.write(held, DAMAGED["rubbish"])
    found = ask(start_python, "admin")
    assert [row["name"] for row in found["servers"]] == ["honest", None]
    assert found["notes"] == [f"{STEM}.lock: damaged status"]
    text = run(start_python, "admin")
    assert text.splitlines()[3].split() == ["-"] * 7
    assert text.splitlines()[-1] == f"{STEM}.lock: damaged status"
    leave(there)


# The board


def memory(name: str = BOARD, data: bytes = b"") -> int:
    fd = os.memfd_create(name)
    os.write(fd, data)
    return fd


def present(held: int, fd: int, inode: int | None = None) -> ServerStatus:
    """What is shown of a server that gives that descriptor for its board."""
    try:
        os.write(held, HONEST._replace(board_fd=fd, board_inode=inode or os.fstat(fd).st_ino).encode())
        return the_one()
    finally:
        os.close(fd)


NO_BOARDS: dict[str, Callable[[], int]] = {
    "another's memory": lambda: memory("comch-ring", bytes(CELL)),
    "a directory": lambda: os.open("/", os.O_RDONLY),
    "a device": lambda: os.open("/dev/zero", os.O_RDONLY),
    "a socket": lambda: socket.socket(socket.AF_UNIX).detach(),
    "a bell": lambda: os.eventfd(0),
}


@pytest.mark.parametrize("name", NO_BOARDS)
def test_what_is_no_board(held: int, name: str) -> None:
    found = present(held, NO_BOARDS[name]())
    assert (found.name, found.pid, found.connections) == ("svc", os.getpid(), None)
    assert found.fault == "connections cannot be seen: it has no board"


def test_a_file_that_looks_like_a_board_is_not_opened(held: int, tmp_path: Path) -> None:
    """Whoever serves its file system may answer that never."""
    fd = look_alike(tmp_path, BOARD)
    again = os.dup(fd)
    with leased(fd):
        assert present(held, again).fault == "connections cannot be seen: it has no board"
        assert fcntl.fcntl(fd, fcntl.F_GETLEASE) == fcntl.F_WRLCK
    os.close(fd)


def test_another_servers_board(held: int) -> None:
    found = present(held, memory(data=bytes(CELL)), inode=1)
    assert found.fault == "connections cannot be seen: it has no board"


def test_a_descriptor_that_is_not_there(held: int) -> None:
    os.write(held, HONEST._replace(board_fd=1 << 40, board_inode=1).encode())
    assert the_one().fault == "connections cannot be seen: No such file or directory"


@pytest.mark.parametrize("size", [0, 1, CELL - 1, 3 * CELL, 3 * CELL + 7, 1 << 20])
def test_a_board_of_noughts(held: int, size: int) -> None:
    found = present(held, memory(data=bytes(size)))
    assert (found.connections, found.fault) == ((), None)


def test_a_board_of_ones(held: int) -> None:
    found = present(held, memory(data=b"\xff" * (5 * CELL + 7)))
    assert (found.connections, found.fault) == ((), None)  # there is no client with a number below 0


def test_a_board_that_lies(held: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Impossible counters are shown as they are; a client without a number cannot be denied."""
    fd = memory(data=(b"\xff" * (CELL - 8) + bytes(4) + b"\1\0\0\0") * 3)
    os.write(held, HONEST._replace(board_fd=fd, board_inode=os.fstat(fd).st_ino).encode())
    assert main(["admin"]) == 0
    *_, row = capsys.readouterr().out.splitlines()
    assert row.split() == ["svc", str(os.getpid()), "-", *[str((1 << 64) - 1)] * 4]
    os.close(fd)


def test_a_huge_board(held: int) -> None:
    fd = memory()
    os.ftruncate(fd, 1 << 40)
    found = present(held, fd)
    assert found.connections == ()


# Lock files that are none


@pytest.mark.parametrize("kind", ["file", "symlink", "dangling symlink", "loop", "directory", "fifo", "socket"])
def test_nobody_holds_it(runtime_dir: Path, kind: str) -> None:
    path = runtime_dir / f"{STEM}.lock"
    if kind == "file":
        path.write_bytes(HONEST.encode())
    elif kind.endswith("symlink"):
        path.symlink_to("/etc/passwd" if kind == "symlink" else "nowhere")
    elif kind == "loop":
        path.symlink_to(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    admin = comch.driver.load().admin
    assert admin is not None
    assert admin.create_list() == []


def test_other_names_are_not_looked_at(runtime_dir: Path) -> None:
    for name in ("x.lock", f"{STEM}.lock.lock", f"{STEM}.sock", f"{STEM.upper()}.lock", f"{STEM}\n.lock"):
        with open(runtime_dir / name, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            admin = comch.driver.load().admin
            assert admin is not None
            assert admin.create_list() == []


# Directories of other people

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")


@as_root
def test_a_directory_of_somebody_else(runtime_dir: Path, start_python: StartPython) -> None:
    os.chown(runtime_dir, 12345, 12345)
    finished = start_python("-m", "comch_next", "admin").finish()
    os.chown(runtime_dir, 0, 0)
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.count("\n") == 1
    assert f"{runtime_dir} cannot be inspected: the directory belongs to user 12345" in finished.stderr


@as_root
def test_a_directory_that_may_not_be_opened(runtime_dir: Path) -> None:
    os.chmod(runtime_dir, 0o700)

    def look() -> str:
        os.seteuid(12345)
        admin = comch.driver.load().admin
        assert admin is not None
        with pytest.raises(NotPermitted) as refused:
            admin.create_list()
        return str(refused.value)

    assert "cannot be inspected: Permission denied" in in_child(look)


@as_root
def test_a_lock_of_somebody_else_in_a_directory_of_all(runtime_dir: Path, held: int) -> None:
    os.write(held, HONEST.encode())
    os.chmod(runtime_dir, 0o755)

    def look() -> ServerStatus:
        os.seteuid(12345)
        return the_one()

    assert in_child(look) == ServerStatus(f"{STEM}.lock", fault="cannot be opened: Permission denied")


@pytest.mark.parametrize("kind", ["a file", "too long"])
def test_what_is_no_directory(runtime_dir: Path, start_python: StartPython, kind: str) -> None:
    place = runtime_dir / ("file" if kind == "a file" else "d" * 300)
    (runtime_dir / "file").write_text("x")
    finished = start_python("-m", "comch_next", "admin", env={"COMCH_RUNTIME_DIR": str(place)}).finish()
    assert (finished.returncode, finished.stdout) == (1, "")
    assert finished.stderr.startswith(f"comch_next: the runtime directory {place} cannot be inspected: ")


# Looking takes a lock for a moment, in which a server may start


@pytest.fixture
def looked_at(runtime_dir: Path) -> Iterator[int]:
    lock = os.open(runtime_dir / f"{STEM}.lock", os.O_RDONLY | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_SH)
    yield lock
    os.close(lock)


def test_a_server_starts_although_somebody_looks(looked_at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    naps = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        fcntl.flock(looked_at, fcntl.LOCK_UN)

    monkeypatch.setattr(time, "sleep", nap)
    there = server()
    there.context.start()
    assert len(naps) == 1
    leave(there)


def test_who_looks_for_ever_holds_nobody_up_for_ever(looked_at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "_OBSERVED_S", 0.01)
    there = server()
    with pytest.raises(AlreadyExist):
        there.context.start()
    fcntl.flock(looked_at, fcntl.LOCK_UN)
    there.context.start()
    leave(there)
