"""A process that ends while its threads are inside calls: it ends at once, with its own status, and leaves no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import StartPython

# Starts threads that make random calls, and ends in one way or another.
PROGRAM = """
import random, sys, threading, time
from comch_next import DocaError
from tests.threads.duel import connect
from tests.threads.faces import FACES

face, ending = FACES[sys.argv[1]], sys.argv[2]
sys.setswitchinterval(0.00001)
server, client = face.make(server=True), face.make(server=False)
connect(face, server, client)


def work(end):
    while True:
        try:
            random.choice(list(face.calls.values()))(end)
        except DocaError:
            pass


for end in (server, client, server, client):
    threading.Thread(target=work, args=(end,), daemon=True).start()
time.sleep(random.random() * 0.02)  # the end comes at any moment of the work: there is no condition to wait for
if ending == "an exception":
    raise ValueError("the program's own")
if ending == "an exit":
    sys.exit(3)
"""
STATUS = {"its last line": 0, "an exception": 1, "an exit": 3}


@pytest.mark.parametrize(
    ("face", "form", "ending"),
    [
        ("pull", "driver", "an exit"),
        ("pull", "threaded", "an exception"),
        ("event loop", "threaded", "its last line"),
        ("fast path apart", "driver", "its last line"),
    ],
)
def test_it_ends(start_python: StartPython, runtime_dir: Path, face: str, form: str, ending: str) -> None:
    finished = start_python("-c", PROGRAM, face, ending, env={"COMCH_PULL": form}).finish()
    assert finished.returncode == STATUS[ending], finished.stderr
    assert "ignored" not in finished.stderr
    assert list(runtime_dir.iterdir()) == []
