"""Whole programs that make, set and connect in separate places, as pairs of processes."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from tests.processes import SOON_S, Child, StartPython

FOLDER = Path(__file__).parent
DEADLINE_S = 2 * SOON_S

REPORTER = f"""
import select, sys
import comch_next as comch
device = comch.open_device("03:00.0")
with comch.Server(device, "b1:00.0", sys.argv[1], max_msg_size=4080) as server:
    print("listening", flush=True)
    message = server.receive(timeout={SOON_S})
    message.reply(b"report of " + sys.argv[1].encode())
    message.connection.flush(timeout={SOON_S})
    fd = server.service_fd
    server.update_info()
    while server.connections:
        select.select([fd], [], [])
        server.update_info()
    print("left", flush=True)
"""


def start(start_python: StartPython, program: str, *arguments: str) -> Child:
    return start_python(str(FOLDER / program), *arguments, deadline_s=DEADLINE_S)


def ended_well(child: Child) -> list[str]:
    finished = child.finish()
    assert (finished.returncode, finished.stderr) == (0, ""), finished
    return finished.stdout.splitlines()


def checksum(blocks: int, size: int) -> int:
    value = 0
    for number in range(blocks):
        value = zlib.crc32(number.to_bytes(8, "big") * (size // 8), value)
    return value


@pytest.mark.parametrize(("blocks", "size"), [(20, 2048), (1, 8), (3000, 64)])
def test_hpc_script(start_python: StartPython, blocks: int, size: int) -> None:
    amount = ("-n", str(blocks), "-s", str(size))
    listening = start(start_python, "hpc_script.py", "-l", *amount, "job")
    listening.wait_for("listening")
    connecting = start(start_python, "hpc_script.py", *amount, "job")
    line = f"checksum {checksum(blocks, size)}"
    assert ended_well(connecting) == [line, "idle"]
    assert ended_well(listening) == ["listening", line, "idle"]


@pytest.mark.parametrize("arguments", [("-l", "-d", "b1:00.0", "job"), ("-d", "03:00.0", "job"), ("job",)])
def test_hpc_script_that_cannot_run(start_python: StartPython, arguments: tuple[str, ...]) -> None:
    finished = start(start_python, "hpc_script.py", *arguments).finish()
    assert finished.returncode == 1
    assert "comch_next.errors." in finished.stderr.splitlines()[-1]


def test_collector_daemon_visits_several_servers(start_python: StartPython) -> None:
    names = ["alpha", "beta", "gamma"]
    servers = []
    for name in names:
        servers.append(start_python("-c", REPORTER, name, deadline_s=DEADLINE_S))
        servers[-1].wait_for("listening")
    daemon = start(start_python, "collector_daemon.py", *names)
    assert ended_well(daemon) == [*(f"{name} report of {name}" for name in names), "idle"]
    for server in servers:
        assert ended_well(server) == ["listening", "left"]


SERVICE = [
    "listening on translated",
    "peer 1 received hello",
    "sent 1",
    "peers 0 pending 0",
    "nothing to receive",
    "result DOCA_SUCCESS",
]
CLIENT = ["received welcome", "sent 1 received 1", "disconnected", "result DOCA_SUCCESS"]


def test_an_old_pair_translated_statement_by_statement(start_python: StartPython) -> None:
    service = start(start_python, "translated_service.py")
    service.wait_for("listening on")
    client = start(start_python, "translated_client.py")
    assert ended_well(client) == CLIENT
    assert ended_well(service) == SERVICE
