"""The ends of native processes over the C libraries of this project: what their peers see, and that nothing is left."""

from __future__ import annotations

import pytest

import comch_next as comch
from tests.control_path.pulled import dialled
from tests.native.faces import ENV
from tests.processes import SOON_S, Child, StartPython

SERVE = """
import comch_next as comch
device = comch.open_device("03:00.0")
server = comch.Server(device, "b1:00.0", "svc")
server.listen()
print("listening", flush=True)
message = server.receive(timeout=60)
message.reply(message.data)
message.connection.flush(60)
print("answered", flush=True)
{end}
"""


def serving(start_python: StartPython, end: str) -> Child:
    """A native service that answers one message, and then ends that way, with everything open."""
    service = start_python("-c", SERVE.format(end=end), env={**ENV, "COMCH_DRIVER": "native"})
    service.wait_for("listening")
    return service


@pytest.mark.parametrize(
    ("end", "status", "seen"),
    [
        ("", 0, comch.Shutdown),
        ("raise SystemExit(3)", 3, comch.Shutdown),
        ("import os; os._exit(4)", 4, comch.ConnectionReset),
    ],
    ids=["the last line", "sys.exit", "a death"],
)
def test_what_the_peer_of_a_process_sees_that_ends(
    start_python: StartPython, end: str, status: int, seen: type[comch.DocaError]
) -> None:
    service = serving(start_python, end)
    with dialled() as client:
        client.connection.send(b"question")
        assert client.receive(timeout=SOON_S).data == b"question"
        with pytest.raises(seen):
            client.receive(timeout=SOON_S)
    ended = service.finish()
    assert (ended.returncode, ended.stderr) == (status, "")


def test_a_process_ends_with_everything_alive(start_python: StartPython) -> None:
    """Servers, clients and the fast path, in one process."""
    program = """
from comch_next.testing import in_one_process
kept = in_one_process("native", timeout=60)
pair = kept.__enter__()
pair.server.map(4096)
consumer = pair.open_channel(pair.server, pair.client)
pair.server.post(pair.server.buf(0, 100))
pair.server.post(None)
pair.client.task(b"held", keep=True)
print("alive")
"""
    ended = start_python("-c", program, env=ENV).finish()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "alive\n", "")


def test_what_is_posted_at_exit_goes_back_after_its_consumer(start_python: StartPython) -> None:
    """Until that has stopped, the library may write to it."""
    program = """
from functools import partial
from comch_next.driver import load
from comch_next.testing import in_one_process

def noted(name, call, *args):
    print(name, flush=True)
    return call(*args)

library = load("native").bufs.library
for name in ("doca_comch_consumer_destroy", "doca_buf_dec_refcount", "doca_buf_inventory_destroy", "doca_mmap_destroy"):
    library[name] = partial(noted, name, library[name])
kept = in_one_process("native", timeout=60)
pair = kept.__enter__()
pair.server.map(4096)
consumer = pair.open_channel(pair.server, pair.client)
pair.server.post(pair.server.buf(0, 100))
"""
    ended = start_python("-c", program, env=ENV).finish()
    assert (ended.returncode, ended.stderr) == (0, "")
    calls = ended.stdout.split()
    assert calls[:2] == ["doca_comch_consumer_destroy", "doca_buf_dec_refcount"]
    assert sorted(calls[2:]) == ["doca_buf_inventory_destroy", "doca_buf_inventory_destroy", "doca_mmap_destroy"]


def test_a_process_ends_though_a_callback_does_not(start_python: StartPython) -> None:
    """A daemon thread is in it, by a call that holds the lock of an engine, as the call of the other context would."""
    program = """
import threading
import comch_next as comch

engine = comch.ProgressEngine()
device = comch.open_device("03:00.0")
servers = [comch.Server(device, "b1:00.0", name, engine=engine) for name in ("one", "two", "three")]
inside = threading.Event()

def ignore(*_): pass

def block(*_):
    inside.set()
    threading.Event().wait()

for server in servers:
    server.task_send_set_conf(ignore, ignore, 1)
    server.event_msg_recv_register(ignore)
    server.event_connection_status_changed_register(ignore, ignore)
servers[0].start()
servers[1].set_state_changed_cb(block)
threading.Thread(target=servers[1].start, daemon=True).start()
inside.wait(60)
print("leaving", flush=True)
"""
    ended = start_python("-c", program, env={**ENV, "COMCH_DRIVER": "native"}).finish()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "leaving\n", "")
