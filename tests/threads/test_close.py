"""A context that is closed while other threads send on it, or start it.

Each sender gets an error, and the process lives. Which error is not held here: a lock is the program's business.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import comch_next as comch
from comch_next import State
from tests.control_path.pair import DPU, REP
from tests.processes import SOON_S, StartPython
from tests.pull.support import FORMS

# What the threads do until it raises. A crash would take the tests along: each runs in a process of its own.
CALLS = {
    "send": "connection.send(b'x' * 4000, 0.2)",
    "send on a port": "port.send(connection, b'x' * 4000)",
    "try_send_to": "raise_of(client.try_send_to(b'x' * 4000, connection))",
}

PROGRAM = """
import sys, threading
import comch_next as comch

def raise_of(code):
    if code not in (comch.ErrorCode.SUCCESS, comch.ErrorCode.AGAIN):
        raise comch.from_code(code, "")

def work():
    ready.wait()
    while True:
        try:
            CALL
        except (comch.Again, comch.TimeOut):
            pass
        except Exception as error:
            ends.append(type(error).__name__)
            return

sys.setswitchinterval(0.00005)
for _ in range(6):
    server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
    client = comch.Client(comch.open_device("b1:00.0"), "svc")
    server.listen()
    drain = threading.Thread(target=lambda: server.receive(timeout=60))
    drain.start()
    client.connect(timeout=60)
    connection, port = client.connection, client.port
    connection.send(b"hello", 60)
    drain.join()
    ready, ends = threading.Event(), []
    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    ready.set()
    for _ in range(200):
        server.try_receive()
    client.close()
    for worker in workers:
        worker.join(60)
    assert len(ends) == len(workers), ends
    server.close()
print("whole")
"""


@pytest.mark.parametrize("call", CALLS)
def test_close_under_a_call(start_python: StartPython, tmp_path: Path, call: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("CALL", CALLS[call]))
    finished = start_python(str(program), deadline_s=2 * SOON_S).finish()
    assert (finished.stdout, finished.returncode) == ("whole\n", 0), finished.stderr


@pytest.mark.parametrize("form", FORMS)
def test_a_context_that_is_started_again_before_it_is_destroyed(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """Where another thread may come in between, here the callback does, which runs at the same place each time."""
    monkeypatch.setenv("COMCH_PULL", form)
    starts: list[bool] = []

    def changed(context: comch.Server, _: State, new: State) -> None:
        if new is State.IDLE and starts and starts.pop():
            starts.extend([True] * always)
            context.start()

    with comch.open_device(DPU) as dpu, dpu.open_representor(REP) as rep:
        server = comch.Server(dpu, rep, "svc")
        server.set_state_changed_cb(changed)
        server.listen()
        for always in (True, False):
            starts[:] = [True]
            if always:
                with pytest.raises(comch.TimeOut, match=r"RUNNING after 0\.0 s: it has been started again"):
                    server.close(0.0)
            else:
                server.close(SOON_S)
        assert not starts
        server.close()
