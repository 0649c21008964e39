"""The programs of the documentation, run as they are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.support import block
from tests.processes import Child, StartPython

README_PROGRAMS = ("server.py", "client.py", "aio_echo.py")
GUIDE_PROGRAMS = {
    "talk.py": "b'HELLO'\n",
    "poller.py": "b'received'\n",
    "steps.py": "b'hello'\n",
    "polling.py": "b'hello'\n",
    "callbacks.py": "[b'hello']\n",
    "failures.py": "DOCA_ERROR_NOT_FOUND 16\nConnectionAborted of 103\n12 DOCA_ERROR_CONNECTION_ABORTED None\n",
}
AIO_PROGRAMS = ("handlers.py", "asking.py")
DPA_PROGRAM = "counting.py"
STREAM_PROGRAMS = ("receive_file.py", "send_file.py")
MIGRATION_PROGRAMS = ("devices.toml", "ask_before.py", "ask_after.py", "limits.py")  # test_migration, test_sessions
PROGRAMS = [
    *(("README.md", title) for title in README_PROGRAMS),
    *(("docs/guide.md", title) for title in GUIDE_PROGRAMS),
    *(("docs/guide.md", title) for title in STREAM_PROGRAMS),
    *(("docs/aio.md", title) for title in (*AIO_PROGRAMS, "files.py")),
    ("docs/dpa.md", DPA_PROGRAM),
    ("docs/topology.md", "pair.toml"),  # tests/control_path/test_topology_schema.py
    *(("MIGRATION.md", title) for title in MIGRATION_PROGRAMS),
]

# A client that is killed while it is connected.
DOOMED = """\
import comch_next as comch
with comch.open_device("b1:00.0") as device:
    client = comch.Client(device, "echo")
    client.connect(timeout=60)
    client.connection.send(b"hello")
    client.receive(timeout=60)
    print("connected", flush=True)
    client.receive()
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    for title in README_PROGRAMS:
        (tmp_path / title).write_text(block("README.md", title))
    (tmp_path / "doomed.py").write_text(DOOMED)
    return tmp_path


@pytest.mark.parametrize("server", [("server.py",), ("aio_echo.py", "serve")])
@pytest.mark.parametrize("client", ["client.py", "aio_echo.py"])
def test_a_server_and_a_client_survive_a_lost_peer(
    start_python: StartPython, programs: Path, server: tuple[str, ...], client: str
) -> None:
    def start(*arguments: str) -> Child:
        return start_python(*arguments, cwd=programs)

    early = start(client)
    early.wait_for("connecting again: ")
    serving = start(*server)
    early.wait_for("HELLO\n")
    assert early.finish().returncode == 0

    doomed = start("doomed.py")
    doomed.wait_for("connected\n")
    doomed.kill()
    serving.wait_for("client lost: ")

    late = start(client)
    late.wait_for("HELLO\n")
    assert late.finish().returncode == 0


def test_a_program_with_a_kernel(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / DPA_PROGRAM).write_text(block("docs/dpa.md", DPA_PROGRAM))
    assert start_python(DPA_PROGRAM, cwd=tmp_path).finish() == (0, "20 answers, the last is 119\n", "")


@pytest.mark.parametrize(("title", "printed"), GUIDE_PROGRAMS.items())
def test_a_program_of_the_guide(start_python: StartPython, tmp_path: Path, title: str, printed: str) -> None:
    (tmp_path / title).write_text(block("docs/guide.md", title))
    assert start_python(title, cwd=tmp_path).finish() == (0, printed, "")


def test_a_server_with_handlers_and_a_client_that_waits_for_it(start_python: StartPython, tmp_path: Path) -> None:
    for title in AIO_PROGRAMS:
        (tmp_path / title).write_text(block("docs/aio.md", title))
    asking = start_python("asking.py", cwd=tmp_path)
    start_python("handlers.py", cwd=tmp_path)
    assert asking.finish() == (0, "HELLO\n", "")


def test_a_file_of_100_mib(start_python: StartPython, tmp_path: Path) -> None:
    for title in STREAM_PROGRAMS:
        (tmp_path / title).write_text(block("docs/guide.md", title))
    pattern = bytes(range(251)) * 4177  # of a length that is no power of two
    with (tmp_path / "source.bin").open("wb") as source:
        for _ in range(100):
            source.write(pattern)
    size = (tmp_path / "source.bin").stat().st_size
    receiving = start_python("receive_file.py", cwd=tmp_path)
    receiving.wait_for("listening")
    sending = start_python("send_file.py", "source.bin", cwd=tmp_path).finish()
    assert (sending.returncode, sending.stderr) == (0, "")
    assert sending.stdout.endswith(f"{size} bytes sent\n")
    assert receiving.finish() == (0, f"listening\n{size} bytes received\n", "")
    assert (tmp_path / "received.bin").read_bytes() == (tmp_path / "source.bin").read_bytes()


def test_a_stream_of_tasks(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "files.py").write_text(block("docs/aio.md", "files.py"))
    assert start_python("files.py", cwd=tmp_path).finish() == (0, "10000000 bytes received\n", "")
