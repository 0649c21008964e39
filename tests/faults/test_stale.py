"""What an earlier life left at the meeting place: the dead are replaced, the living and the foreign are not."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import AlreadyExist, Client, ConnectionAborted, Initialization, Server
from tests.event_channels.support import DRIVERS
from tests.processes import SOON_S, StartPython
from tests.pull.support import PEER

pytestmark = pytest.mark.usefixtures("form")

LISTEN = """
import sys
import comch_next as comch
server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
print(comch.outcome(server.listen)[0].name, flush=True)
sys.stdin.read()
server.close()
"""


@pytest.fixture
def remains(runtime_dir: Path, start_python: StartPython) -> tuple[Path, Path]:
    """The socket and the lock of a server that was killed."""
    child = start_python("-c", LISTEN)
    child.wait_for("SUCCESS")
    child.kill()
    (path,) = runtime_dir.glob("*.sock")
    return path, path.with_suffix(".lock")


def serves(start_python: StartPython) -> None:
    """A new server takes the place, is found there, and leaves nothing."""
    with comch.open_device("03:00.0") as device, Server(device, "b1:00.0", "svc") as there:
        child = start_python("-c", PEER)
        child.say("send found\n")
        assert there.receive(timeout=SOON_S).data == b"found"


@pytest.mark.parametrize("left", ["both", "socket", "lock", "none"])
def test_whatever_a_dead_owner_left_is_taken_over(
    remains: tuple[Path, Path], runtime_dir: Path, start_python: StartPython, left: str
) -> None:
    if left in ("socket", "none"):
        remains[1].unlink()
    if left in ("lock", "none"):
        remains[0].unlink()
    serves(start_python)
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.parametrize("lost", ["socket", "lock", "both"])
def test_a_living_owner_whose_files_were_removed(runtime_dir: Path, start_python: StartPython, lost: str) -> None:
    """Whoever has lost its socket can be found no more, and its place is free. Its goodbye harms no successor."""
    child = start_python("-c", LISTEN, env=DRIVERS)  # with a helper thread it would look by itself
    child.wait_for("SUCCESS")
    (path,) = runtime_dir.glob("*.sock")
    if lost != "lock":
        path.unlink()
    if lost != "socket":
        path.with_suffix(".lock").unlink()
    with comch.open_device("03:00.0") as device:
        there = Server(device, "b1:00.0", "svc")
        if lost == "socket":  # it still holds the lock, and will notice at its next look
            with pytest.raises(AlreadyExist):
                there.listen()
            assert child.finish() == (0, "SUCCESS\n", "")
        there.listen()
        if lost != "socket":
            assert child.finish() == (0, "SUCCESS\n", "")
        with comch.open_device("b1:00.0") as host:
            here = Client(host, "svc")
            here.connect(timeout=0)
            with pytest.raises(comch.Again):
                there.receive(timeout=0)
            here.close()
        there.close()
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.parametrize("lost", ["socket", "lock", "both"])
def test_an_owner_whose_files_were_removed_closes_as_ever(runtime_dir: Path, lost: str) -> None:
    with comch.open_device("03:00.0") as device:
        there = Server(device, "b1:00.0", "svc")
        there.listen()
        (path,) = runtime_dir.glob("*.sock")
        if lost != "lock":
            path.unlink()
        if lost != "socket":
            path.with_suffix(".lock").unlink()
        there.close()
    assert list(runtime_dir.glob("*.sock")) == []


@pytest.mark.parametrize("kind", ["file", "symlink to a socket", "dangling symlink", "directory"])
def test_what_is_no_socket_stays(remains: tuple[Path, Path], runtime_dir: Path, kind: str) -> None:
    path = remains[0]
    path.unlink()
    target = runtime_dir / "target"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as foreign:
        if kind == "file":
            path.write_text("precious")
        elif kind == "directory":
            path.mkdir()
        else:
            path.symlink_to(target)
        if kind == "symlink to a socket":
            foreign.bind(str(target))
        with comch.open_device("03:00.0") as device:
            there = Server(device, "b1:00.0", "svc")
            with pytest.raises(Initialization, match="cannot listen"):
                there.listen()
            there.close()
    assert path.is_symlink() or path.exists()
    assert not path.is_file() or path.read_text() == "precious"


def test_a_client_of_the_dead_is_told_at_once(remains: tuple[Path, Path]) -> None:
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        with pytest.raises(ConnectionAborted, match="nobody listens"):
            here.connect(timeout=0)
        here.close()
