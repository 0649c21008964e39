"""The runtime directory: whose name is it, what may stand there, and what is left behind."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import socket
import stat
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import comch_next as comch
from comch_next import AlreadyExist, Client, ConnectionAborted, DocaError, Initialization, InvalidValue, Server, State
from comch_next.driver import load
from tests.control_path.pair import client, connect, leave, pair, server, until
from tests.control_path.pulled import dialled
from tests.descriptors import collected_fds, open_fds
from tests.leases import leased
from tests.processes import SOON_S, StartPython

LISTEN = """
import sys, signal
import comch_next as comch
there = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
there.listen()
print("listening")
for message in there:
    message.reply(message.data)
"""


def listen(name: str = "svc") -> Server:
    made = Server(comch.open_device("03:00.0"), "b1:00.0", name)
    made.listen()
    return made


def refused(name: str = "svc") -> DocaError:
    """The error of a server that cannot listen; nothing of it stays."""
    device = comch.open_device("03:00.0")
    made = Server(device, "b1:00.0", name)
    try:
        made.listen()
    except DocaError as error:
        assert made.state is State.IDLE
        return error
    finally:
        made.close()
        device.close()
    raise AssertionError("it could listen")


def files(folder: Path) -> list[str]:
    return sorted(each.suffix for each in folder.iterdir())


def the_socket(folder: Path) -> Path:
    (path,) = folder.glob("*.sock")
    return path


def names_of(folder: Path) -> tuple[Path, Path]:
    """Where the server "svc" would put its socket and its lock."""
    made = listen()
    path = the_socket(folder)
    made.close()
    return path, path.with_suffix(".lock")


def test_nothing_is_left_behind(runtime_dir: Path) -> None:
    made = listen()
    assert files(runtime_dir) == [".lock", ".sock"]
    assert stat.S_IMODE(the_socket(runtime_dir).stat().st_mode) == 0o600
    made.close()
    assert files(runtime_dir) == []


def test_a_dead_servers_place_is_taken_over(runtime_dir: Path, start_python: StartPython) -> None:
    child = start_python("-c", LISTEN)
    child.wait_for("listening")
    assert isinstance(refused(), AlreadyExist)
    child.kill()
    assert files(runtime_dir) == [".lock", ".sock"]
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        with pytest.raises(ConnectionAborted, match="nobody listens"):
            here.connect()
        here.close()
    made = listen()
    made.close()
    assert files(runtime_dir) == []


def test_a_server_that_sleeps_is_not_dead(start_python: StartPython) -> None:
    child = start_python("-c", LISTEN)
    child.wait_for("listening")
    child.stop()
    assert isinstance(refused(), AlreadyExist)
    child.signal(signal.SIGCONT)
    with dialled() as here:
        here.connection.send(b"awake")
        assert here.receive(timeout=SOON_S).data == b"awake"


def test_one_of_many_gets_the_name(start_python: StartPython) -> None:
    """Processes that want the same name at the same moment, over the remains of a dead one."""
    child = start_python("-c", LISTEN)
    child.wait_for("listening")
    child.kill()
    program = (
        "import sys, comch_next as comch\n"
        "there = comch.Server(comch.open_device('03:00.0'), 'b1:00.0', 'svc')\n"
        "print('ready'); sys.stdin.readline()\n"
        "print(comch.outcome(there.listen)[0].name); sys.stdin.readline()\n"
    )
    children = [start_python("-c", program) for _ in range(6)]
    for each in children:
        each.wait_for("ready")
    for each in children:
        each.say("go\n")
    said = [each.wait_for("S") for each in children]
    assert sorted(said) == ["ALREADY_EXIST"] * 5 + ["SUCCESS"]


@pytest.mark.parametrize("what", ["file", "symlink", "dangling symlink", "directory", "fifo"])
@pytest.mark.parametrize("place", ["socket", "lock"])
def test_what_is_no_socket_is_neither_replaced_nor_followed(runtime_dir: Path, what: str, place: str) -> None:
    path = names_of(runtime_dir)[place == "lock"]
    target = runtime_dir / "target"
    if what == "file":
        path.write_text("precious")
    elif what == "symlink":
        target.write_text("precious")
        path.symlink_to(target)
    elif what == "dangling symlink":
        path.symlink_to(target)
    elif what == "directory":
        path.mkdir()
    else:
        os.mkfifo(path)
    if place == "lock" and what in ("file", "fifo"):
        listen().close()  # any file serves as a lock, whatever is in it
        return
    error = refused()
    assert isinstance(error, Initialization)
    assert "'svc' cannot listen" in str(error)
    assert str(runtime_dir) in str(error)
    assert os.path.lexists(path)
    assert target.exists() == (what == "symlink")
    if what == "file":
        assert path.read_text() == "precious"


def test_a_symlink_to_a_socket_is_not_followed(runtime_dir: Path) -> None:
    path, _ = names_of(runtime_dir)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as other:
        other.bind(str(runtime_dir / "other"))
        path.symlink_to(runtime_dir / "other")
        assert isinstance(refused(), Initialization)
        assert (runtime_dir / "other").exists()


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_a_server_that_nobody_can_find_has_failed(runtime_dir: Path, how: str) -> None:
    there, here = pair()
    path = the_socket(runtime_dir)
    path.unlink()
    if how == "replaced":
        path.write_text("mine")
    until(lambda: there.state is State.IDLE, there.engine)
    assert there.states[-2:] == [(State.RUNNING, State.STOPPING), (State.STOPPING, State.IDLE)]
    assert len(there.down) == 1
    until(lambda: here.state is State.IDLE, here.engine)
    assert path.exists() == (how == "replaced"), "what somebody else put there stays"
    if how == "replaced":
        path.unlink()
    connect(there, here)
    leave(here, there)


def test_a_running_server_does_not_care_where_its_program_goes(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(runtime_dir)
    monkeypatch.setenv("COMCH_RUNTIME_DIR", "below/here")
    there = server()
    there.context.start()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(runtime_dir / "below/here"))
    here = client()
    connect(there, here)
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(tmp_path))
    here.send(b"x")
    until(lambda: there.messages, there.engine, here.engine)
    assert there.state is State.RUNNING
    leave(here, there)
    assert files(runtime_dir / "below/here") == []


@pytest.mark.parametrize("relative", [False, True])
def test_a_working_directory_that_is_gone(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, relative: bool
) -> None:
    """It matters only where the runtime directory lies in it."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    there = server()
    if relative:
        monkeypatch.setenv("COMCH_RUNTIME_DIR", "below/here")
        with pytest.raises(Initialization, match="cannot listen in below/here"):
            there.context.start()
    else:
        there.context.start()
        here = client()
        connect(there, here)
        leave(here, there)


# The directory itself


def test_it_is_made_and_private(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = runtime_dir / "not" / "yet"
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(folder))
    made = listen()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    made.close()


@pytest.mark.parametrize("length", [108, 200, 1000, 3000])
def test_no_path_is_too_long_for_a_socket(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    folder = runtime_dir
    while len(str(folder)) < length:
        folder /= "d" * min(200, max(1, length - len(str(folder)) - 1))
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(folder))
    there, here = pair()
    here.send(b"far away")
    until(lambda: there.messages == [b"far away"], there.engine)
    leave(here, there)
    assert files(folder) == []


@pytest.mark.parametrize("kind", ["through a file", "a file", "too long", "symlink to a file", "NUL"])
def test_a_directory_that_cannot_be(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    blocker = runtime_dir / "file"
    blocker.write_text("precious")
    folder = str(blocker)
    if kind == "through a file":
        folder = str(blocker / "below")
    elif kind == "too long":
        folder = str(runtime_dir / ("d" * 300))
    elif kind == "symlink to a file":
        (runtime_dir / "link").symlink_to(blocker)
        folder = str(runtime_dir / "link")
    elif kind == "NUL":
        folder = "/proc/self/nowhere"  # a NUL cannot be in the environment; this cannot be made either
    monkeypatch.setenv("COMCH_RUNTIME_DIR", folder)
    error = refused()
    assert isinstance(error, Initialization)
    assert "cannot listen in" in str(error)
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        with pytest.raises(ConnectionAborted, match="nobody listens"):
            here.connect(timeout=0)
        here.close()
    assert blocker.read_text() == "precious"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_a_directory_of_somebody_else_is_refused(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = runtime_dir / "theirs"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(folder))
    error = refused()
    assert isinstance(error, Initialization)
    assert "belongs to user 12345; set COMCH_RUNTIME_DIR" in str(error)


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_what_is_no_directory_is_named(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    place = runtime_dir / "place"
    place.symlink_to(runtime_dir / "nothing") if kind == "dangling link" else place.write_text("precious")
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(place))
    error = refused()
    assert isinstance(error, Initialization)
    assert {"file": "Not a directory", "dangling link": "symbolic link"}[kind] in str(error)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_lock_that_another_user_holds_is_named(runtime_dir: Path) -> None:
    made = listen()
    (lock,) = runtime_dir.glob("*.lock")
    os.chown(lock, 12345, 12345)
    error = refused()
    assert isinstance(error, AlreadyExist)
    assert f"user 12345 holds its lock; remove {lock}" in str(error)
    made.close()


def test_a_start_does_not_wait_for_a_lease_on_the_lock(runtime_dir: Path) -> None:
    _, lock = names_of(runtime_dir)
    fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with leased(fd):
        error = refused()
    os.close(fd)
    assert isinstance(error, Initialization)
    assert "temporarily unavailable" in str(error)
    listen().close()


@pytest.mark.parametrize("mask", [0o177, 0o410, 0o777])
def test_a_umask_withholds_nothing_from_the_user(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, mask: int) -> None:
    """Later servers of the same directory, and of the same name, need it."""
    folder = runtime_dir / "new"
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(folder))
    before = os.umask(mask)
    try:
        made = listen()
    finally:
        os.umask(before)
    modes = {path.suffix: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.iterdir()]}
    assert modes == {"": 0o700, ".lock": 0o600, ".sock": 0o600}
    made.close()


@pytest.mark.parametrize("mask", [0, 0o002, 0o077, 0o777])
def test_nobody_else_may_write_to_what_is_made_above(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, mask: int
) -> None:
    """Whoever can may put another directory in its place."""
    folder = runtime_dir / "highest" / "higher" / "new"
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(folder))
    before = os.umask(mask)
    try:
        listen().close()
    finally:
        os.umask(before)
    for made in (folder.parent, folder.parent.parent):
        assert stat.S_IMODE(made.stat().st_mode) == 0o755 & ~mask | stat.S_IRWXU


def test_a_lock_that_is_somebody_s_file_is_left_as_it_is(runtime_dir: Path) -> None:
    """A link that was put there while others could write to the directory."""
    _, lock = names_of(runtime_dir)
    precious = runtime_dir / "precious"
    precious.write_text("precious")
    precious.chmod(0)
    os.link(precious, lock)
    if os.access(precious, os.R_OK | os.W_OK):  # root only
        listen().close()
    else:
        assert isinstance(refused(), Initialization)
    assert stat.S_IMODE(precious.stat().st_mode) == 0
    precious.chmod(0o600)
    assert precious.read_text() == "precious"


def test_where_it_is_when_nobody_says(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COMCH_RUNTIME_DIR")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime_dir))
    made = listen()
    assert files(runtime_dir / "comch") == [".lock", ".sock"]
    made.close()


def test_where_it_is_without_a_session(runtime_dir: Path, start_python: StartPython) -> None:
    program = LISTEN.replace("for message", "sys.exit()\nfor message")
    env = {"COMCH_RUNTIME_DIR": "", "XDG_RUNTIME_DIR": "", "TMPDIR": str(runtime_dir)}
    child = start_python("-c", program, env=env)
    assert child.finish().returncode == 0
    folder = runtime_dir / f"comch-{os.getuid()}"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


# Names

GOOD_NAMES = ["a", "a/b", "/", "..", "../../etc/passwd", " ", "naïve", "名前", "a" * 127, "é" * 63]
GOOD_NAMES += ["\ud800", "\n", "🦀" * 31]
BAD_NAMES = ["", "a" * 128, "é" * 64, "a\0b", "\0", "🦀" * 32, 3, b"bytes", ["x"]]


@pytest.mark.parametrize("name", GOOD_NAMES, ids=ascii)
def test_names_hold_anything_but_nul(runtime_dir: Path, name: str) -> None:
    there, here = server(name), client(name)
    connect(there, here)
    here.send(b"found")
    until(lambda: there.messages == [b"found"], there.engine)
    assert files(runtime_dir) == [".lock", ".sock"]
    leave(here, there)


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_other_names_are_refused_and_hold_nothing(name: str) -> None:
    with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host:
        with pytest.raises(InvalidValue, match="1 to 127 bytes"):
            Server(dpu, "b1:00.0", name)
        with pytest.raises(InvalidValue, match="1 to 127 bytes"):
            Client(host, name)


def test_names_that_look_alike_are_different() -> None:
    sides = [server("svc"), server("svc "), server("SVC"), server("svc\x01")]
    for side in sides:
        side.context.start()
    leave(*sides)


def test_without_any_directory_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COMCH_RUNTIME_DIR", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    none = FileNotFoundError(errno.ENOENT, "No usable temporary directory found")
    monkeypatch.setattr(tempfile, "gettempdir", Mock(side_effect=none))
    for side in (server(), client()):
        with pytest.raises(Initialization, match="set COMCH_RUNTIME_DIR: No usable temporary directory"):
            side.context.start()
        leave(side)
    admin: Any = load().admin
    for ask in (admin.get_place, admin.create_list):
        with pytest.raises(Initialization, match="set COMCH_RUNTIME_DIR"):
            ask()


def test_a_file_system_without_locks_costs_no_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    there = server()
    before = collected_fds()
    with monkeypatch.context() as patch:
        patch.setattr(fcntl, "flock", Mock(side_effect=OSError(errno.ENOLCK, "No locks available")))
        with pytest.raises(Initialization, match="No locks available"):
            there.context.start()
    assert open_fds() == before
    leave(there)


def test_a_path_that_is_too_long_for_the_files_in_it(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux takes paths of up to 4095 bytes; the directory's own is shorter, those of its files are longer."""
    long = runtime_dir
    while (left := 4080 - len(str(long))) > 1:
        long /= "x" * min(left - 1, 200)
    long.mkdir(parents=True)
    long.chmod(0o700)
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(long))
    assert "File name too long" in str(refused())
    assert files(long) == []


def test_a_server_that_has_given_up_its_rights_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may not look at its own socket file any more, and so cannot say that it is gone."""
    there, here = pair()
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", Mock(side_effect=PermissionError(errno.EACCES, "Permission denied")))
        for _ in range(5):
            there.engine.wait(0.002)
            there.engine.progress()
    here.send(b"still here")
    until(lambda: there.messages, there.engine, here.engine)
    leave(here, there)


def test_a_directory_that_lies_too_deep(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_RUNTIME_DIR", str(runtime_dir) + "/x" * 1500)
    there = server()
    with pytest.raises(Initialization, match="File name too long"):
        there.context.start()
    assert not (runtime_dir / "x").exists()
    leave(there)
