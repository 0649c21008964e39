"""Who runs where: the driver's form needs no thread, and the other's is gone when its ports are."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from typing import Any

import pytest

import comch_next as comch
from comch_next import State
from comch_next.pull import PullPort
from tests.processes import SOON_S, Threads
from tests.pull.support import FORMS, SPINS, Stage, helper_turns, ready, until


def test_the_drivers_form_has_no_thread(stage: Stage, threads: Threads) -> None:
    server, client = stage.pair("driver", "driver")
    server.port.arm_recv()
    assert client.send(b"x")
    assert server.receive() == b"x"
    assert threads() == 0


def test_the_other_has_one_per_engine_until_it_is_closed(stage: Stage, threads: Threads) -> None:
    server, client = stage.pair("threaded", "threaded")
    assert threads() == 2
    client.context.stop()
    until(lambda: client.context.state is State.IDLE)
    client.port.close()
    assert threads() == 1
    server.context.close()
    assert threads() == 0


def test_the_last_port_that_is_dropped_ends_it(stage: Stage, threads: Threads) -> None:
    with comch.ProgressEngine() as engine:
        PullPort(comch.Client(stage.host, "svc", engine=engine), threaded=True)
        until(lambda: [gc.collect(), threads()][1] == 0)  # its thread may just have held what is to be collected
        stage.meet(stage.server("driver"), stage.client("threaded", engine=engine))
        assert threads() == 1
        stage.contexts[-1].close()
    assert threads() == 0


def test_ports_of_one_engine_share_a_thread(stage: Stage, threads: Threads) -> None:
    with comch.ProgressEngine() as engine:
        server, client = stage.meet(stage.server("threaded", engine=engine), stage.client("threaded", engine=engine))
        assert threads() == 1
        assert client.send(b"x")
        assert server.receive() == b"x"
        assert server.send(b"y")
        assert client.receive() == b"y"
        server.context.close()
        assert threads() == 1
        client.context.close()
        assert threads() == 0


@pytest.mark.parametrize("form", FORMS)
def test_a_send_of_one_thread_hides_no_room_from_another(stage: Stage, form: str) -> None:
    """One was answered AGAIN; before it arms, another has sent, and has seen that nothing is in flight any more."""
    server, client = stage.meet(stage.server("driver", recv_queue_size=4), stage.client(form, send_queue_size=4))
    until(lambda: not client.send(b"one"))
    until(lambda: server.port.receive() is None)
    until(lambda: client.send(b"other"))
    until(server.port.receive)
    until(lambda: client.port.in_flight(client.connection) == 0)
    client.port.arm_send()
    assert ready(client.port.send_fd, SOON_S)


def test_an_idle_helper_costs_nothing(stage: Stage) -> None:
    stage.pair("threaded", "threaded")
    until(lambda: all(context.engine._helper._asleep for context in stage.contexts))
    with helper_turns() as turns:
        threading.Event().wait(0.3)
    assert len(turns) < SPINS


def test_a_program_that_never_closes_ends() -> None:
    code = (
        "import comch_next as comch\n"
        "from comch_next.pull import PullPort\n"
        'server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")\n'
        "port = PullPort(server, threaded=True)\n"
        "server.listen()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=SOON_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_port_is_closed_and_opened_again(stage: Stage, form: str) -> None:
    port = stage.server(form)
    server = port.context
    with pytest.raises(comch.BadState):
        PullPort(server, threaded=form == "threaded")
    server.start()
    with pytest.raises(comch.BadState):
        port.close()
    server.stop()
    until(lambda: server.engine.progress() or server.state is State.IDLE)
    until(lambda: server.state is State.IDLE)
    port.close()
    again = PullPort(server, threaded=form == "threaded")
    end, client = stage.meet(again, stage.client("driver"))
    assert client.send(b"x")
    assert end.receive() == b"x"


def test_a_port_is_opened_on_an_idle_context(stage: Stage, form: str) -> None:
    with comch.Server(stage.dpu, "b1:00.1", "other") as running:
        with pytest.raises(comch.BadState):
            PullPort(running, threaded=form == "threaded")
        with pytest.raises(comch.InvalidValue):
            PullPort(stage.host, threaded=form == "threaded")  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"max_msg_size": 0}, {"max_msg_size": 65536}, {"send_queue_size": 0}])
def test_limits_of_a_port_are_checked(stage: Stage, form: str, options: dict[str, Any], threads: Threads) -> None:
    server = comch.Server(stage.dpu, "b1:00.0", "svc")
    with pytest.raises(comch.InvalidValue):
        PullPort(server, threaded=form == "threaded", **options)
    assert threads() == 0
    server.close()


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_programs_state_callback_is_called(stage: Stage, form: str, when: str) -> None:
    client, seen = comch.Client(stage.host, "svc"), []
    stage.contexts.append(client)
    if when == "before":
        client.set_state_changed_cb(lambda context, old, new: seen.append((context, old, new)))
    port = PullPort(client, threaded=form == "threaded")
    if when == "after":
        client.set_state_changed_cb(lambda context, old, new: seen.append((context, old, new)))
    stage.meet(stage.server("driver"), port)
    client.disconnect()
    moves = [(old, new) for context, old, new in seen if context is client]
    assert moves[:2] == [(State.IDLE, State.STARTING), (State.STARTING, State.RUNNING)]
    assert moves[-1][1] is State.IDLE


def test_what_a_callback_raises_comes_out_of_progress(stage: Stage, form: str) -> None:
    client = stage.client(form)

    def raising(context: object, old: State, new: State) -> None:
        if new is State.RUNNING:
            raise RuntimeError("from a callback")

    client.context.set_state_changed_cb(raising)
    server = stage.server("driver")
    server.context.start()
    client.context.start()
    until(server.accept)
    with pytest.raises(RuntimeError, match="from a callback"):
        until(lambda: client.context.engine.progress() and False)
    client.context.engine.progress()
    until(lambda: client.context.state is State.RUNNING)


@pytest.mark.parametrize("channel", ["send", "recv", "service"])
def test_an_interrupt_while_arming_comes_out_at_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, channel: str
) -> None:
    """The program would sleep next, and never hear of it."""
    port = stage.pair("threaded", "driver")[0].port
    helper: Any = port.context.engine._helper
    progress, interruptions = helper._engines.progress, [KeyboardInterrupt()]

    def interrupted(engine: object) -> Any:
        if interruptions:
            raise interruptions.pop()
        return progress(engine)

    with helper.lock:  # so that it is this thread's turn
        monkeypatch.setattr(helper._engines, "progress", interrupted)
        with pytest.raises(KeyboardInterrupt):
            getattr(port, f"arm_{channel}")()


def test_the_programs_own_progress_and_wait_still_work(stage: Stage, form: str) -> None:
    client = stage.client(form).context
    server = stage.server("driver")
    server.context.start()
    client.start()
    assert client.engine.notification_handle > 0
    assert not client.engine.wait(0.02) or client.state is State.STARTING
    until(server.accept)
    while client.state is not State.RUNNING:
        client.engine.wait(SOON_S)
        client.engine.progress()
    server.context.stop()
    until(lambda: server.context.engine.progress() or server.context.state is State.IDLE)
    while client.state.name != "IDLE":
        assert client.engine.wait(SOON_S)
        client.engine.progress()


def test_a_context_on_tasks_and_callbacks_shares_the_engine(stage: Stage, threads: Threads) -> None:
    """Its callbacks run where the engine's progress runs, and its own calls take their turn."""
    with comch.ProgressEngine() as engine:
        stage.server("threaded", name="pulled", engine=engine)
        plain = comch.Client(stage.host, "svc", engine=engine)
        stage.contexts.append(plain)
        got: list[bytes] = []
        done: list[comch.SendTask] = []
        plain.task_send_set_conf(done.append, done.append, 4)
        plain.event_msg_recv_register(lambda _, data: got.append(data))
        server = stage.server("driver")
        server.context.start()
        plain.start()
        connection = until(server.accept)
        until(lambda: plain.state is State.RUNNING)
        task = plain.task_send_alloc_init(plain.connection, b"from a task")
        task.submit()
        assert until(server.receive)[0] == b"from a task"
        assert server.send(connection, b"to a callback")
        assert until(lambda: got) == [b"to a callback"]
        assert until(lambda: done) == [task]
        task.free()
        plain.close()
        stage.contexts[0].close()
    assert threads() == 0
