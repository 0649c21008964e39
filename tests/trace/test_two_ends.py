"""Two processes, each with a trace: every message that one sent is found at the other, by number and digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.processes import StartPython
from tests.trace.lines import Line, accepted, of, read, received

RUN = ("-m", "comm_channel_compat", "run")
FORMS = ("", "threaded")

SERVER = """
import comch_next as comch
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc", recv_queue_size=4, send_queue_size=4) as server:
    print("up", flush=True)
    for _ in range(200):
        connection = server.receive(timeout=60).connection
    for number in range(200):
        connection.send(b"%d" % number, timeout=60)
    server.receive(timeout=60)
"""
CLIENT = """
import contextlib
import comch_next as comch
host = comch.open_device("b1:00.0")
with contextlib.closing(comch.Client(host, "svc", recv_queue_size=4, send_queue_size=4)) as client:
    client.connect(timeout=60)
    for number in range(200):
        client.connection.send(b"%d" % number * (number % 7), timeout=60)
    for _ in range(200):
        client.receive(timeout=60)
    client.connection.send(b"bye", timeout=60)
    client.connection.flush(timeout=60)
"""


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def assert_matched(lines: list[Line], sender: str, receiver: str, count: int) -> None:
    """Every message is at both ends, once, and not before it was sent."""
    sent, arrived = accepted(lines, sender), received(lines, receiver)
    assert len(sent) == count
    assert sent.keys() == arrived.keys()
    assert all(line["t"] <= arrived[name]["t"] for name, line in sent.items())
    assert [line["n"] for line in sent.values()] == list(range(1, count + 1))


@pytest.mark.parametrize("form", FORMS)
def test_an_old_pair(tmp_path: Path, start_python: StartPython, form: str) -> None:
    env = {"COMCH_TRACE": str(tmp_path / "%p.jsonl"), "COMCH_PULL": form}
    service = start_python(*RUN, "samples_legacy/hello_service.py", env=env)
    service.wait_for("listening")
    client = start_python(*RUN, "samples_legacy/hello_client.py", env=env)
    assert (client.finish().returncode, service.finish().returncode) == (0, 0)
    lines = read(tmp_path / f"{service.pid}.jsonl", tmp_path / f"{client.pid}.jsonl")
    assert {line["pid"] for line in of(lines, "send", side="server")} == {service.pid}
    assert_matched(lines, "client", "server", 2)
    assert_matched(lines, "server", "client", 2)
    assert [line["digest"] for line in of(lines, "receive", side="server")] == [
        digest(b"Hello from the host"),
        digest(b"bye"),
    ]
    assert [line["ok"] for line in of(lines, "up", service="hello", connection=1)] == [True, True]


@pytest.mark.parametrize("form", FORMS)
def test_a_stream_in_one_file(tmp_path: Path, start_python: StartPython, form: str) -> None:
    """Queues of four: on the driver's port sends are refused and tried again, which the trace shows, too."""
    path = tmp_path / "both.jsonl"
    env = {"COMCH_TRACE": str(path), "COMCH_PULL": form}
    server = start_python("-c", SERVER, env=env)
    server.wait_for("up")
    client = start_python("-c", CLIENT, env=env)
    ends = client.finish(), server.finish()
    assert [end.stderr for end in ends] == ["", ""]
    lines = read(path)
    assert_matched(lines, "client", "server", 201)
    assert_matched(lines, "server", "client", 200)
    for pid in (server.pid, client.pid):
        numbers = sorted(line["seq"] for line in lines if line["pid"] == pid)
        assert numbers == list(range(1, len(numbers) + 1))
    assert all("n" not in line for line in of(lines, "send", result="DOCA_ERROR_AGAIN"))
