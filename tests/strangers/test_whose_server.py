"""Nobody but the user, and root, is trusted: neither with the meeting place, nor as a server, nor as a client."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import ConnectionAborted, ErrorCode, Initialization
from comch_next.driver import load
from comch_next.driver.emulated._fabric.meeting import file_name
from tests.control_path.pair import leave, server, until
from tests.processes import SOON_S, StartPython

OTHER_USER = 54321  # of whom nothing else is heard
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")

# Listens as another user on a socket that it was given the right to make; it tells what it hears.
IMPOSTOR = """
import os, socket, sys
sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
sock.bind(sys.argv[1])
os.setuid(int(sys.argv[2]))
sock.listen()
print("listening", flush=True)
print("heard", sock.accept()[0].recv(100), flush=True)
"""

# Connects as another user and greets; it tells the code that it is refused with.
GUEST = """
import os, pathlib, sys
from tests.fabric.hostile import Attacker
guest = pathlib.Path(sys.argv[1])
os.setuid(int(sys.argv[2]))
bad = Attacker(guest)
bad.greet()
print("code", bad.code().name, flush=True)
"""


def path_of(folder: Path, name: str = "svc") -> Path:
    """Where the socket of that server stands."""
    return folder / f"{file_name('0000:03:00.0', '0000:b1:00.0', name)}.sock"


def refusal(kind: type[comch.DocaError], name: str = "svc") -> str:
    """What a client that cannot connect is told."""
    with comch.open_device("b1:00.0") as device:
        here = comch.Client(device, name)
        with pytest.raises(kind) as caught:
            here.connect(timeout=SOON_S)
        here.close()
    return str(caught.value)


def cannot_listen() -> str:
    """What a server that cannot start is told."""
    with comch.open_device("03:00.0") as device:
        there = comch.Server(device, "b1:00.0", "svc")
        with pytest.raises(Initialization) as caught:
            there.listen()
        there.close()
    return str(caught.value)


@as_root
def test_a_server_of_another_user_is_not_spoken_to(runtime_dir: Path, start_python: StartPython) -> None:
    impostor = start_python("-c", IMPOSTOR, str(path_of(runtime_dir)), str(OTHER_USER))
    impostor.wait_for("listening")
    assert f"user {OTHER_USER}" in refusal(ConnectionAborted)
    assert "heard b''" in impostor.wait_for("heard"), "it has been told nothing"


@as_root
def test_a_client_of_another_user_is_refused(runtime_dir: Path, start_python: StartPython) -> None:
    there = server()
    there.context.start()
    runtime_dir.chmod(0o755)
    path_of(runtime_dir).chmod(0o666)
    guest = start_python("-c", GUEST, str(runtime_dir), str(OTHER_USER))
    until(lambda: guest.process.poll() is not None, there.engine)
    assert guest.wait_for("code") == f"code {ErrorCode.AUTHENTICATION.name}"
    assert there.up == []
    leave(there)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o703])
def test_a_directory_that_others_can_write_is_refused(runtime_dir: Path, mode: int) -> None:
    runtime_dir.chmod(mode)
    for text in (cannot_listen(), refusal(ConnectionAborted)):
        assert "others can write" in text
        assert str(runtime_dir) in text
        assert "chmod go-w" in text
    admin = load().admin
    assert admin is not None
    with pytest.raises(comch.NotPermitted, match="others can write"):
        admin.create_list()
    runtime_dir.chmod(0o700)


def test_a_directory_that_others_can_only_read_is_not(runtime_dir: Path) -> None:
    runtime_dir.chmod(0o755)
    there = server()
    there.context.start()
    leave(there)


@pytest.mark.parametrize("end", ["", "/", "//", "/.", "/./"])
def test_a_link_is_no_directory(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    (runtime_dir / "real").mkdir(mode=0o700)
    (runtime_dir / "link").symlink_to(runtime_dir / "real")
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(runtime_dir / "link") + end)
    for text in (cannot_listen(), refusal(ConnectionAborted)):
        assert "symbolic link" in text
    assert not list((runtime_dir / "real").iterdir())
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(runtime_dir / "real" / ".." / "real"))
    there = server()
    there.context.start()
    leave(there)


def test_a_directory_below_a_link_is_one(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As /var/run is on many systems."""
    (runtime_dir / "real").mkdir(mode=0o700)
    (runtime_dir / "link").symlink_to(runtime_dir / "real")
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(runtime_dir / "link" / "comch"))
    there = server()
    there.context.start()
    assert path_of(runtime_dir / "real" / "comch").exists()
    leave(there)


def test_a_server_that_cannot_listen_leaves_no_lock(runtime_dir: Path) -> None:
    path_of(runtime_dir).write_text("somebody else's")
    cannot_listen()
    assert [found.read_text() for found in runtime_dir.iterdir()] == ["somebody else's"]
