"""Programs of generation 2, each a process of its own, against each other; what they must print stands here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import StartPython

PROGRAMS = Path(__file__).parent / "programs"
LAUNCHER = ("-m", "comm_channel_compat", "run")

SERVER = """\
listening
up True
received 8 b'question'
sent first the server
down the client
end
"""
CLIENT = """\
state the client 0 1
state the client 1 2
sent 7 the client
received 6 b'answer'
counters 8 6
state the client 2 3
state the client 3 0
end
"""


@pytest.mark.parametrize("client", ["objects", "flat"])
@pytest.mark.parametrize("server", ["objects", "flat"])
def test_question_and_answer(start_python: StartPython, server: str, client: str) -> None:
    dpu = start_python(*LAUNCHER, str(PROGRAMS / f"{server}_server.py"))
    dpu.wait_for("listening")
    host = start_python(*LAUNCHER, str(PROGRAMS / f"{client}_client.py"))
    assert host.finish() == (0, CLIENT, "")
    assert dpu.finish() == (0, SERVER, "")
