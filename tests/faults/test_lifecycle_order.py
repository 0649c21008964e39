"""Things done in the wrong order, or not at all: a clear error, or nothing to see."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

import comch_next as comch
from comch_next import BadState, DocaError, InvalidValue, State
from tests.control_path.pair import client, connect, ignore, leave, pair, server, until
from tests.processes import StartPython

# Interpreter exit

SETUP = """
import atexit, os, sys, threading
import comch_next as comch
nothing = lambda *_: None

def ready(context, server=False):
    context.task_send_set_conf(nothing, nothing, 8)
    context.event_msg_recv_register(nothing)
    if server:
        context.event_connection_status_changed_register(nothing, nothing)
    return context

engine = comch.ProgressEngine()
dpu, host = comch.open_device("03:00.0"), comch.open_device("b1:00.0")
there = ready(comch.Server(dpu, "b1:00.0", "svc", engine=engine, recv_queue_size=1), server=True)
here = ready(comch.Client(host, "svc", engine=engine))
there.start()
here.start()
while here.state is not comch.State.RUNNING:
    engine.progress()
tasks = [here.task_send_alloc_init(here.connection, b"x") for _ in range(6)]
for task in tasks[:4]:
    task.submit()
pulled = comch.Server(dpu, "b1:00.1", "svc")
pulled.listen()
pulling = comch.Client(comch.open_device("b1:00.1"), "svc")
pulling.connect(timeout=0)
engine.request_notification()
"""

ENDINGS = {
    "falls off the end": "",
    "exit": "sys.exit(0)",
    "exit inside a callback": """
there.stop()
here.set_state_changed_cb(lambda *_: sys.exit(0))
while True:
    engine.progress()
""",
    "a cycle around everything": "world = [globals()]; world.append(world); del engine, there, here",
    "engine first": "del engine; import gc; gc.collect()",
    "connection kept at exit": "atexit.register(lambda c=here.connection: c.user_data)",
    "a thread that progresses": """
thread = threading.Thread(target=lambda: [engine.progress() for _ in range(1000)])
thread.start()
""",
    "a daemon thread that waits": """
threading.Thread(target=lambda: pulled.receive(), daemon=True).start()
""",
    "os._exit": "sys.stdout.flush(); os._exit(0)",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_interpreter_exit_with_everything_alive_is_silent(start_python: StartPython, ending: str) -> None:
    done = start_python("-c", SETUP + ENDINGS[ending]).finish()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_server_that_left_at_exit_has_not_failed(start_python: StartPython) -> None:
    """Threads go on for a while after the process has taken leave; what is registered first runs last."""
    first_registered = """
import atexit
def after_the_leave():
    try:
        pulled.receive(timeout=0)
    except comch.Again:
        print(pulled.state.name)
atexit.register(after_the_leave)
"""
    done = start_python("-c", first_registered + SETUP, fresh=True).finish()
    assert (done.returncode, done.stdout, done.stderr) == (0, "RUNNING\n", "")


def test_the_next_server_takes_over_what_such_an_exit_leaves(start_python: StartPython) -> None:
    start_python("-c", SETUP + "os._exit(0)").finish()
    there, here = pair()
    here.send(b"fresh")
    until(lambda: there.messages == [b"fresh"], there.engine)
    leave(here, there)


def test_sigint_in_a_callback(start_python: StartPython) -> None:
    """KeyboardInterrupt leaves progress, and the program can still put everything in order."""
    program = (
        SETUP.replace("nothing = lambda *_: None", "nothing = lambda *_: None; import signal")
        + """
def interrupted(connection, data):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(10_000_000):
        pass
for context in (here, there):
    for task in tasks[4:]:
        task.free()
    tasks[4:] = []
second = ready(comch.Server(dpu, "b1:00.0", "second", engine=engine), server=True)
second.event_msg_recv_register(interrupted)
second.start()
client = ready(comch.Client(host, "second", engine=engine))
client.task_send_set_conf(lambda task: task.free(), lambda task: task.free(), 4)
client.start()
while client.state is not comch.State.RUNNING:
    engine.progress()
client.task_send_alloc_init(client.connection, b"x").submit()
try:
    while True:
        engine.progress()
except KeyboardInterrupt:
    print("interrupted")
client.stop()
while client.state is not comch.State.IDLE:
    engine.progress()
second.close()
print(second.state.name)
"""
    )
    done = start_python("-c", program).finish()
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\nIDLE\n", "")


# Parents first


def test_parents_cannot_go_first() -> None:
    there, here = pair()
    for call in (
        there.context.device.close,
        there.context.device_rep.close,
        there.engine.destroy,
        there.context.destroy,
        here.context.device.close,
        here.engine.destroy,
        here.context.destroy,
    ):
        with pytest.raises(comch.InUse):
            call()
    here.send(b"still works")
    until(lambda: there.messages == [b"still works"], there.engine)
    leave(here, there)


@pytest.mark.parametrize("order", list(itertools.permutations(["stop", "destroy", "engine", "device"])), ids="-".join)
def test_every_order_of_teardown_ends_well(order: tuple[str, ...]) -> None:
    """Whatever is refused at first works once its turn has come."""
    there, here = pair()
    calls: dict[str, Callable[[], object]] = {
        "stop": here.context.stop,
        "destroy": here.context.destroy,
        "engine": here.engine.destroy,
        "device": here.context.device.close,
    }
    left = list(order)
    for _ in range(8):
        for name in list(left):
            try:
                calls[name]()
            except DocaError as error:
                assert isinstance(error, (comch.InUse, BadState))  # noqa: PT017
            else:
                left.remove(name)
        if "engine" in left:
            here.engine.progress()
    assert left == []
    leave(there)


# Too early and too late


def test_submit_before_connected() -> None:
    there, here = server(), client()
    there.context.start()
    with pytest.raises(BadState, match="legal while RUNNING or STARTING or STOPPING"):
        here.task()
    here.context.start()
    with pytest.raises(BadState, match="while STARTING; it is legal while RUNNING or STOPPING"):
        here.task()
    until(lambda: here.state is State.RUNNING, there.engine, here.engine)
    here.send(b"now")
    until(lambda: there.messages, there.engine)
    leave(here, there)


def test_callbacks_registered_after_start() -> None:
    there, here = pair()
    for side in (there, here):
        with pytest.raises(BadState, match="while RUNNING; it is legal while IDLE"):
            side.context.event_msg_recv_register(ignore)
        with pytest.raises(BadState, match="while RUNNING; it is legal while IDLE"):
            side.context.task_send_set_conf(ignore, ignore, 4)
        side.context.set_state_changed_cb(ignore)  # this one is legal in every state
    leave(here, there)


def test_start_twice() -> None:
    there, here = pair()
    for side in (there, here):
        with pytest.raises(BadState, match=r"ctx_start was attempted on .* while RUNNING; legal while IDLE"):
            side.context.start()
    here.send(b"still works")
    until(lambda: there.messages == [b"still works"], there.engine)
    leave(here, there)


def test_handles_of_a_life_that_is_over() -> None:
    there, here = pair()
    at_client, at_server = here.connection, there.connection
    here.context.stop()
    until(lambda: here.state is State.IDLE and there.down, here.engine, there.engine)
    with pytest.raises(InvalidValue):
        there.context.disconnect(at_server)
    task = there.task(b"to nobody", at_server)
    task.submit()
    until(lambda: there.failed == [task], there.engine)
    assert task.status == comch.ErrorCode.SHUTDOWN
    connect(there, here)
    old = here.task(b"old", at_client)
    old.submit()
    until(lambda: here.failed == [old], here.engine)
    assert old.status == comch.ErrorCode.NOT_CONNECTED
    leave(here, there)
