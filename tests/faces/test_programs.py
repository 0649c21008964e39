"""C programs against Python ends: both tell the same as two Python ends do."""

from __future__ import annotations

from comch_next.errors import ErrorCode
from tests.faces.conftest import Start
from tests.processes import StartPython
from tests.samples.support import start_service
from tools.side_by_side import MODERN


def test_a_client_of_generation_1_talks_to_a_python_service(start: Start, start_python: StartPython) -> None:
    service = start_service(start_python, "hello", folder=MODERN)
    client = start("hello_client").finish()
    assert (client.returncode, client.stderr) == (ErrorCode.SUCCESS, "")
    assert client.stdout.splitlines() == [
        "peer 1 sent 19 bytes 'Hello from the host'",
        "peer 1 received 18 bytes 'Hello from the DPU'",
        "peer 1 sent 3 bytes 'bye'",
        "peer 1 received 3 bytes 'bye'",
        "result DOCA_SUCCESS",
    ]
    assert service.finish().stdout.endswith("result DOCA_SUCCESS\n")


def test_a_client_of_tasks_and_progress_talks_to_a_python_service(start: Start, start_python: StartPython) -> None:
    service = start_service(start_python, "ctrl_path")
    client = start("ctrl_path_client").finish()
    assert (client.returncode, client.stderr) == (0, "")
    told = client.stdout.splitlines()
    assert sorted(told[:2]) == [
        "peer 1 received 18 bytes 'Hello from the DPU'",
        "peer 1 sent 19 bytes 'Hello from the host'",
    ]
    assert told[2:] == ["result DOCA_SUCCESS"]
    assert service.finish().stdout.endswith("result DOCA_SUCCESS\n")


def test_a_client_without_a_server_falls_back_to_idle(start: Start) -> None:
    client = start("ctrl_path_client").finish()
    assert client.stdout == "result DOCA_ERROR_CONNECTION_ABORTED\n"
