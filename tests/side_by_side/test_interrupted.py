"""A sample that is interrupted while it talks tells what it has done, and ends well."""

import signal
import time
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from tests.processes import SOON_S, Child, StartPython
from tools.side_by_side import Stage

FOR_EVER = ("-n", "100000000")
DEADLINE_S = 2 * SOON_S


def start(start_python: StartPython, stage: Stage, manner: str, script: str) -> Child:
    return start_python(*stage.command(manner, script, *FOR_EVER)[1:], deadline_s=DEADLINE_S)


def wait_for_talk(messages: int) -> None:
    """Until the service has so many messages behind it each way."""
    admin: Any = comch.driver.load().admin
    deadline = time.monotonic() + DEADLINE_S
    while True:
        for server in admin.create_list():
            for found in server.connections or ():
                if min(found.sent_messages, found.recv_messages) >= messages:
                    return
        assert time.monotonic() < deadline, "they do not talk"
        time.sleep(0.001)


@pytest.mark.parametrize("manner", ["old", "new"])
@pytest.mark.parametrize("end", ["service", "client"])
def test_two_threads(start_python: StartPython, runtime_dir: Path, manner: str, end: str) -> None:
    stage = Stage(runtime_dir, b"")
    service = start(start_python, stage, manner, "two_threads_service.py")
    service.wait_for("listening")
    client = start(start_python, stage, manner, "two_threads_client.py")
    wait_for_talk(200)  # what is still in queues counts as sent
    ended = service if end == "service" else client
    ended.signal(signal.SIGINT)
    finished = ended.finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    lines = finished.stdout.splitlines()
    assert lines[-1] == "result DOCA_SUCCESS"
    for word in ("sent", "received"):
        assert sum(line.startswith(f"peer 1 {word} ") for line in lines) >= 100
