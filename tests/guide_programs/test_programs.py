"""Programs as the guides describe them run as pairs of processes: transcripts and exit statuses are fixed here."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.processes import SOON_S, Child, Finished, StartPython

FOLDER = Path(__file__).parent
DEADLINE_S = 2 * SOON_S
HOST = ("-p", "b1:00.0")
DPU = ("-p", "03:00.0", "-r", "b1:00.0")


def start_old(start: StartPython, program: str, *arguments: str) -> Child:
    return start("-m", "comm_channel_compat", "run", str(FOLDER / program), *arguments, deadline_s=DEADLINE_S)


def start_new(start: StartPython, program: str, *arguments: str) -> Child:
    return start(str(FOLDER / program), *arguments, deadline_s=DEADLINE_S)


def ended_well(child: Child) -> list[str]:
    """Return the transcript of a program that ended with status 0 and complained about nothing."""
    finished = child.finish()
    assert (finished.returncode, finished.stderr) == (0, ""), finished
    return finished.stdout.splitlines()


def assert_no_leftovers(runtime_dir: Path) -> None:
    """Nothing that could still be met is left; lock files stay, as they decide who owns a name."""
    sockets = [path for path in runtime_dir.rglob("*") if path.is_socket()]
    assert sockets == []


# CC Server and CC Client

CC_SERVER = [
    "Started Listening, waiting for new message",
    "Received message: Message from client",
    "Response sent",
    "Nothing in flight",
    "Sample finished successfully",
]
CC_CLIENT = [
    "Connection established",
    "Message sent",
    "Server response: Message from server",
    "Nothing in flight",
    "Sample finished successfully",
]


def test_cc_server_and_client(start_python: StartPython, runtime_dir: Path) -> None:
    server = start_old(start_python, "cc_server.py", *DPU)
    server.wait_for("Started Listening")
    client = start_old(start_python, "cc_client.py", *HOST)
    assert ended_well(client) == CC_CLIENT
    assert ended_well(server) == CC_SERVER
    assert_no_leftovers(runtime_dir)


def test_cc_client_without_a_server(start_python: StartPython) -> None:
    finished = start_old(start_python, "cc_client.py", *HOST).finish()
    assert finished == Finished(1, "Sample failed: DOCA_ERROR_CONNECTION_ABORTED\n", "")


@pytest.mark.parametrize("wrong", [("-p", "b1:00.0", "-r", "b1:00.0"), ("-p", "99:00.0"), ("-r", "b1:00.9")])
def test_cc_server_that_cannot_be_set_up(start_python: StartPython, wrong: tuple[str, ...]) -> None:
    finished = start_old(start_python, "cc_server.py", *wrong).finish()
    assert finished.returncode == 1
    assert finished.stdout.startswith("Sample failed: DOCA_ERROR_")
    assert finished.stderr == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_cc_server_ends_by_a_signal(start_python: StartPython, runtime_dir: Path, number: signal.Signals) -> None:
    server = start_old(start_python, "cc_server.py", *DPU)
    server.wait_for("Started Listening")
    finished = server.end_by(number)
    assert finished.stdout.splitlines()[-1] == "Sample failed: DOCA_ERROR_UNEXPECTED"
    assert (finished.returncode, finished.stderr) == (1, "")
    assert_no_leftovers(runtime_dir)


# Secure channel, first API


def secure_channel_transcript(first: str, sent: int, received: int) -> tuple[str, set[str], list[str]]:
    """The first line, the two of the threads in either order, and the end."""
    threads = {f"Sender: {sent} messages accepted", f"Receiver: {received} messages"}
    end = [f"Sent {sent}, received {received}, failed 0", "Disconnected: DOCA_SUCCESS", "Result DOCA_SUCCESS"]
    return first, threads, end


def shaped(lines: list[str]) -> tuple[str, set[str], list[str]]:
    return lines[0], set(lines[1:3]), lines[3:]


@pytest.mark.parametrize("program", ["secure_channel_flat.py", "secure_channel_objects.py"])
@pytest.mark.parametrize(("size", "number"), [(4080, 300), (4, 1), (64, 2000)])
def test_secure_channel(start_python: StartPython, runtime_dir: Path, program: str, size: int, number: int) -> None:
    amount = ("-s", str(size), "-n", str(number))
    service = start_old(start_python, program, *DPU, *amount)
    service.wait_for("Listening on")
    host = start_old(start_python, program, *HOST, *amount)
    for child in (service, host):
        threads = {child.wait_for(" messages").split(":")[0] for _ in range(2)}
        assert threads == {"Sender", "Receiver"}
    host.signal(signal.SIGINT)
    host_lines = ended_well(host)
    service.signal(signal.SIGTERM)
    assert shaped(host_lines) == secure_channel_transcript("Connecting to secure_channel", number, number)
    expected = secure_channel_transcript("Listening on secure_channel", number, number)
    assert shaped(ended_well(service)) == expected
    assert_no_leftovers(runtime_dir)


@pytest.mark.parametrize("program", ["secure_channel_flat.py", "secure_channel_objects.py"])
def test_secure_channel_service_stopped_before_a_peer(start_python: StartPython, program: str) -> None:
    service = start_old(start_python, program, *DPU)
    service.wait_for("Listening on")
    service.signal(signal.SIGINT)
    assert ended_well(service) == [
        "Listening on secure_channel",
        "Sent 0, received 0, failed 0",
        "Result DOCA_SUCCESS",
    ]


# Secure channel, modern API


@pytest.mark.parametrize(("size", "host_number", "dpu_number"), [(4096, 100, 100), (1, 3, 50), (65536, 40, 1)])
def test_secure_channel_comch(
    start_python: StartPython, runtime_dir: Path, size: int, host_number: int, dpu_number: int
) -> None:
    program = "secure_channel_comch.py"
    server = start_new(start_python, program, *DPU, "-s", str(size), "-n", str(dpu_number))
    server.wait_for("Listening on")
    host = start_new(start_python, program, *HOST, "-s", str(size), "-n", str(host_number))
    ends = [("Connecting to", host, host_number, dpu_number), ("Listening on", server, dpu_number, host_number)]
    for first, child, sends, receives in ends:
        assert ended_well(child) == [
            f"{first} secure_channel_comch",
            f"Peer sends {receives} messages of {size} bytes",
            f"Producer: {sends} completed, 0 failed",
            f"Consumer: {receives} received, 0 of a wrong size",
            "Consumer: 8 posted buffers came back",
            "Context is IDLE",
            "Result DOCA_SUCCESS",
        ]
    assert_no_leftovers(runtime_dir)


# Control path sample

# Whether STARTING and STOPPING are seen on a server is open: it runs at once, and its last client may have gone.
CTRL_PATH_SERVER = [
    "Server context is RUNNING",
    "Server started",
    "Connection event True",
    "Message received: Message from client",
    "Server task sent",
    "Disconnection event True",
    "Server context is IDLE",
    "Sample finished successfully",
]
CTRL_PATH_CLIENT = [
    "Client context is STARTING",
    "Client context is RUNNING",
    "Message received: Message from server",
    "Client context is STOPPING",
    "Client context is IDLE",
    "Sends: 1 completed, 0 failed",
    "Sample finished successfully",
]


def test_control_path(start_python: StartPython, runtime_dir: Path) -> None:
    server = start_new(start_python, "comch_ctrl_path_server.py", *DPU)
    server.wait_for("Server started")
    client = start_new(start_python, "comch_ctrl_path_client.py", *HOST)
    assert ended_well(client) == CTRL_PATH_CLIENT
    passing = {"Server context is STARTING", "Server context is STOPPING"}
    lines = [line for line in ended_well(server) if line not in passing]
    # The callbacks of the start may come with it or with the first progress.
    assert sorted(lines[:2]) == sorted(CTRL_PATH_SERVER[:2])
    assert lines[2:] == CTRL_PATH_SERVER[2:]
    assert_no_leftovers(runtime_dir)


def test_control_path_client_without_a_server(start_python: StartPython) -> None:
    """It falls from STARTING to IDLE, which ends the sample's loop."""
    assert ended_well(start_new(start_python, "comch_ctrl_path_client.py", *HOST)) == [
        "Client context is STARTING",
        "Client context is IDLE",
        "Sends: 0 completed, 0 failed",
        "Sample finished successfully",
    ]


# Data path sample

DATA_PATH_SERVER = [
    "Server started",
    "Start",
    "Producer: 8 completed, 0 failed",
    "Consumer: 8 times 'Message from client', 0 failed",
    "Stop",
    "Sample finished successfully",
]
DATA_PATH_CLIENT = [
    "Client context is STARTING",
    "Client context is RUNNING",
    "Consumer: 8 times 'Message from server', 0 failed",
    "Producer: 8 completed, 0 failed",
    "Client context is STOPPING",
    "Client context is IDLE",
    "Sample finished successfully",
]


def test_data_path(start_python: StartPython, runtime_dir: Path) -> None:
    server = start_new(start_python, "comch_data_path_high_speed_server.py", *DPU)
    server.wait_for("Server started")
    client = start_new(start_python, "comch_data_path_high_speed_client.py", *HOST)
    assert ended_well(client) == DATA_PATH_CLIENT
    assert ended_well(server) == DATA_PATH_SERVER
    assert_no_leftovers(runtime_dir)


def test_data_path_client_without_a_server(start_python: StartPython) -> None:
    finished = start_new(start_python, "comch_data_path_high_speed_client.py", *HOST).finish()
    assert finished.stdout.splitlines() == ["Client context is STARTING", "Client context is IDLE"]
    assert (finished.returncode, finished.stderr) == (1, "Sample failed: DOCA_ERROR_CONNECTION_ABORTED\n")
