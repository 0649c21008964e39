"""Signals: no wait ends early or late for one, a sleeping process is not a dead one, an interrupt breaks nothing."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import Client, Server, State, TimeOut
from tests.control_path import pair
from tests.control_path.pulled import dialled
from tests.processes import SOON_S, StartPython
from tests.pull.support import FORMS, PEER, Stage, helpers_rest, until

WAIT_S = 0.25
STOPPED_S = 3.0


THUNDER = signal.SIGUSR1  # the real-time timer and SIGALRM belong to the test's own deadline


@contextmanager
def thunder(every_s: float, handler: Callable[[int, object], object]) -> Iterator[None]:
    """Have a signal come to the test's thread again and again in this block, and `handler` called for it."""
    over = threading.Event()

    def strike() -> None:
        while not over.wait(every_s):
            signal.pthread_kill(threading.main_thread().ident or 0, THUNDER)

    thread = threading.Thread(target=strike, daemon=True)
    before = signal.signal(THUNDER, handler)
    try:
        thread.start()
        yield
    finally:
        over.set()
        thread.join()
        signal.signal(THUNDER, before)


class Interruption(Exception):
    """What a signal handler of the test raises."""


@pytest.fixture
def storm() -> Iterator[list[int]]:
    """A signal every few milliseconds; the list grows by one for each."""
    seen: list[int] = []
    with thunder(0.003, lambda number, frame: seen.append(number)):
        until(lambda: seen)
        yield seen


@pytest.fixture
def stage(runtime_dir: Path) -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


Wait = Callable[[], object]


def blocked_waits(stage: Stage, form: str) -> dict[str, Wait]:
    """Every call of a client that sleeps, where nothing will ever wake it."""
    there = stage.server("driver", recv_queue_size=1)
    there.context.start()
    full = stage.client(form, send_queue_size=1)
    end = stage.meet(there, full)[1]
    # The server's queue and the client's own are full, for good.
    until(lambda: not end.send(b"x") and helpers_rest() and not end.send(b"x"))
    own: Client = end.context
    return {
        "receive": lambda: own.receive(timeout=WAIT_S),
        "send": lambda: own.connection.send(b"x", timeout=WAIT_S),
        "flush": lambda: own.connection.flush(timeout=WAIT_S),
        "engine": lambda: timed_out(own.engine.wait(WAIT_S)),
    }


def timed_out(moved: bool) -> None:
    if not moved:
        raise TimeOut


WAITS = [*itertools.product(FORMS, ("receive", "send", "flush")), ("driver", "engine")]  # the helper waits there, too


@pytest.mark.parametrize(("form", "call"), WAITS)
def test_a_wait_lasts_as_long_as_it_was_told(stage: Stage, form: str, call: str, storm: list[int]) -> None:
    wait = blocked_waits(stage, form)[call]
    before, began = len(storm), time.monotonic()
    while len(storm) == before:  # on a busy machine none may have come in the time of one
        began = time.monotonic()
        with pytest.raises(TimeOut):
            wait()
    lasted = time.monotonic() - began
    assert WAIT_S - 0.01 <= lasted < SOON_S


def test_connect_lasts_as_long_as_it_was_told(storm: list[int]) -> None:
    with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host, Server(dpu, "b1:00.0", "svc"):
        client = Client(host, "svc")
        began = time.monotonic()
        with pytest.raises(TimeOut):
            client.connect(timeout=WAIT_S)
        assert WAIT_S - 0.01 <= time.monotonic() - began < SOON_S
        assert client.state is State.IDLE
        client.close()


@pytest.mark.parametrize(("form", "call"), WAITS)
def test_an_exception_of_a_handler_leaves_all_usable(stage: Stage, form: str, call: str) -> None:
    wait = blocked_waits(stage, form)[call]
    waiting = False

    def handler(number: int, frame: object) -> None:
        nonlocal waiting
        if waiting:
            waiting = False
            raise Interruption

    def wait_for_the_handler() -> None:
        nonlocal waiting
        waiting = True
        while True:
            with suppress(TimeOut):
                wait()

    gc.disable()  # what a handler raises in a finalizer is lost
    try:
        with thunder(0.02, handler):
            for _ in range(3):
                with pytest.raises(Interruption):
                    wait_for_the_handler()
    finally:
        gc.enable()
    server, client = stage.contexts
    assert server.receive(timeout=SOON_S).data == b"x"
    client.connection.send(b"again", timeout=SOON_S)
    while server.receive(timeout=SOON_S).data != b"again":
        pass


@pytest.mark.parametrize("form", FORMS)
def test_messages_flow_in_a_storm_of_signals(stage: Stage, form: str, storm: list[int]) -> None:
    there, here = stage.pair(form, form)
    for number in range(2000):
        until(lambda number=number: here.send(b"%d" % number))  # type: ignore[misc]
        assert there.receive() == b"%d" % number


@pytest.mark.usefixtures("form")
def test_a_stopped_client_is_not_dead(start_python: StartPython) -> None:
    """For seconds, with messages and sends waiting for it."""
    with comch.open_device("03:00.0") as device, Server(device, "b1:00.0", "svc", recv_queue_size=4) as there:
        child = start_python("-c", PEER)
        child.say("send hello\n")
        connection = there.receive(timeout=SOON_S).connection
        child.wait_for("sent")
        child.stop()
        connection.send(b"wake up", timeout=SOON_S)
        with pytest.raises(TimeOut):
            there.receive(timeout=STOPPED_S)
        connection.update_info()
        child.signal(signal.SIGCONT)
        child.say("receive\nsend awake\n")
        child.wait_for("wake up")
        assert there.receive(timeout=SOON_S).data == b"awake"
        child.say("leave\n")
        assert child.finish().returncode == 0


@pytest.mark.usefixtures("form")
def test_a_stopped_server_is_not_dead(start_python: StartPython) -> None:
    program = (
        "import comch_next as comch\n"
        "there = comch.Server(comch.open_device('03:00.0'), 'b1:00.0', 'svc')\n"
        "there.listen()\n"
        "print('listening', flush=True)\n"
        "for message in there: message.reply(message.data)\n"
    )
    child = start_python("-c", program)
    child.wait_for("listening")
    with dialled() as here:
        child.stop()
        here.connection.send(b"?", timeout=SOON_S)
        late = Client(here.device, "svc")
        with pytest.raises(TimeOut):
            late.connect(timeout=0.3)
        with pytest.raises(TimeOut):
            here.receive(timeout=STOPPED_S / 2)
        child.signal(signal.SIGCONT)
        assert here.receive(timeout=SOON_S).data == b"?"
        late.connect(timeout=SOON_S)
        late.close()


SIGPIPE = """
import signal, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
import comch_next as comch
device = comch.open_device("b1:00.0")
client = comch.Client(device, "svc", send_queue_size=4)
connection = client.connect(timeout=60)
print("up", flush=True)
sys.stdin.readline()  # the server has died
while comch.outcome(connection.send, b"x", timeout=0)[0].name in ("SUCCESS", "AGAIN"):
    pass  # the threaded form may notice it a moment later
codes = {comch.outcome(connection.send, b"x", timeout=0)[0].name for _ in range(200)}
codes.add(comch.outcome(client.receive, timeout=60)[0].name)
client.close()
codes.add(comch.outcome(comch.Client(device, "svc").connect)[0].name)
print(*sorted(codes))
"""


@pytest.mark.usefixtures("form")
def test_sigpipe_at_its_default_kills_nobody(start_python: StartPython) -> None:
    program = (
        "import comch_next as comch\n"
        "there = comch.Server(comch.open_device('03:00.0'), 'b1:00.0', 'svc')\n"
        "there.listen()\n"
        "print('listening', flush=True)\n"
        "there.receive()\n"
    )
    server = start_python("-c", program)
    server.wait_for("listening")
    child = start_python("-c", SIGPIPE)
    child.wait_for("up")
    server.signal(signal.SIGKILL)
    server.process.wait()
    child.say("go\n")
    assert child.wait_for("CONNECTION") == "CONNECTION_ABORTED CONNECTION_RESET"
    assert child.finish().returncode == 0


BLOCKED = {
    "receive": "server.receive()",
    "iterate": "list(server)",
    "engine": "server.engine.wait()",
    "connect": "comch.Client(comch.open_device('b1:00.0'), 'stopped').connect(timeout=None)",
}
STOPPED = (
    "import time, comch_next as comch\n"
    "server = comch.Server(comch.open_device('03:00.0'), 'b1:00.0', 'stopped')\n"
    "server.listen()\n"
    "print('listening', flush=True)\n"
    "time.sleep(60)\n"
)


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("call", BLOCKED)
def test_control_c_ends_a_blocked_program(start_python: StartPython, runtime_dir: Path, call: str) -> None:
    """As any Python program: KeyboardInterrupt, the with block says goodbye, and no file stays."""
    program = (
        "import signal, comch_next as comch\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "with comch.Server(comch.open_device('03:00.0'), 'b1:00.0', 'svc') as server:\n"
        "    print('blocked', flush=True)\n"
        f"    {BLOCKED[call]}\n"
    )
    stopped = start_python("-c", STOPPED)
    stopped.wait_for("listening")
    stopped.stop()
    others = set(runtime_dir.iterdir())
    child = start_python("-c", program)
    child.wait_for("blocked")
    done = child.end_by(signal.SIGINT)
    assert done.returncode == -signal.SIGINT
    assert done.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert set(runtime_dir.iterdir()) == others


def test_an_interrupt_between_the_files_of_a_server(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both go, whichever call of the system it comes out of."""
    server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
    server.listen()
    unlink, interrupts = os.unlink, iter([KeyboardInterrupt])

    def interrupted(path: Path) -> None:
        unlink(path)
        for interrupt in interrupts:
            raise interrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "unlink", interrupted)
        with pytest.raises(KeyboardInterrupt):
            server.close()
    assert list(runtime_dir.iterdir()) == []
    server.close()


def test_a_keyboard_interrupt_inside_a_callback() -> None:
    """The other callbacks of that progress still run, nothing is lost, and the engine goes on."""
    there, here = pair.server(), pair.client()
    got: list[bytes] = []

    def on_message(connection: comch.Connection, data: bytes) -> None:
        got.append(data)
        if data == b"1":
            signal.raise_signal(signal.SIGINT)

    there.context.event_msg_recv_register(on_message)
    pair.connect(there, here)
    for number in range(4):
        here.send(b"%d" % number)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            pair.until(lambda: False, there.engine)
    finally:
        signal.signal(signal.SIGINT, before)
    pair.until(lambda: len(got) == 4 and len(here.done) == 4, there.engine, here.engine)
    assert got == [b"0", b"1", b"2", b"3"]
    assert not there.engine.progress()
    pair.leave(here, there)
