"""A fork in an unlucky moment: the child owns nothing of its parent's all the same."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import AccessFlag, Consumer, Mmap
from comch_next.driver.emulated import _context
from comch_next.driver.emulated._kernel import fork
from tests.control_path.pair import client, connect, ignore, leave, server
from tests.processes import StartPython

# A hook of the program's, before the library's, closes whatever there is.
CLOSED = """
import os
os.register_at_fork(after_in_child=lambda: os.closerange(3, 4096))
import comch_next as comch
server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
client = comch.Client(comch.open_device("b1:00.0"), "svc")
server.listen()
client.connect(timeout=0)
while client.state is not comch.State.RUNNING:
    comch.outcome(server.receive, timeout=0)
    client.engine.progress()
client.connection.send(b"first")
assert server.receive(timeout=60).data == b"first"
client.connection.send(b"second")
assert server.recv_fd >= 0
child = os.fork()
if not child:
    print(comch.outcome(server.receive, timeout=0)[0].name, flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


def children() -> set[int]:
    """The processes that this thread has forked, also those that have ended and are not waited for yet."""
    return set(map(int, Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()))


def codes_in_child(fork_in: Any, calls: Any) -> list[str]:
    """Have something fork; the codes of the calls in the child."""
    reader, writer = os.pipe()
    parent = os.getpid()
    others = children()
    try:
        fork_in()
    except (AttributeError, comch.BadState):
        assert os.getpid() != parent  # which is told what could not be closed, or that the call is its parent's
    if os.getpid() != parent:
        os.write(writer, " ".join(comch.outcome(call)[0].name for call in calls).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        found = told.read().split()
    (child,) = children() - others
    assert os.waitpid(child, 0)[1] == 0
    return found


def test_while_a_thread_makes_a_consumer(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, here = server(), client()
    for side in (there, here):
        side.context.event_consumer_register(ignore, ignore)
    connect(there, here)
    real = fork.owned

    def fork_when_owned(handle: Any) -> Any:
        real(handle)
        monkeypatch.undo()
        os.fork()
        return handle

    with Mmap(there.context.device, 4096, AccessFlag.PCI_READ_WRITE) as memory:
        memory.start()
        made: list[Consumer] = []

        def make() -> None:
            monkeypatch.setattr(_context, "owned", fork_when_owned)
            made.append(Consumer(there.connection, memory))

        calls = (here.engine.progress, there.engine.progress, lambda: here.state)
        assert codes_in_child(make, calls) == ["BAD_STATE"] * 3
        made[0].close()
    leave(here, there)


def test_a_handle_that_cannot_let_go_spares_no_other(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, here = server(), client()
    connect(there, here)

    def fail(_: object) -> None:
        raise AttributeError("not complete")

    with monkeypatch.context() as broken:
        broken.setattr(type(here.context._handle), "let_go", fail)
        calls = (here.engine.progress, there.engine.progress, lambda: here.state)
        assert codes_in_child(os.fork, calls) == ["BAD_STATE"] * 3
    leave(here, there)


def test_after_a_hook_that_closes_everything(start_python: StartPython) -> None:
    assert start_python("-c", CLOSED, fresh=True).succeed() == "BAD_STATE\n0\n"
