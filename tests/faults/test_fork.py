"""Fork: a child gets BAD_STATE from every inherited object."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import Client, Counter, Server
from tests.control_path.pair import Side, client, connect, leave, pair, server, sleep, until
from tests.descriptors import open_fds
from tests.fast_path.lane import Lane
from tests.faults.forking import Calls, Forking, in_child, only_bad_state
from tests.pull.support import FORMS, End, Stage, ready


def task_calls(side: Side, held: comch.SendTask) -> Calls:
    """Everything that can be called on tasks and callbacks."""
    context, engine, connection = side.context, side.engine, side.connection
    return {
        "start": context.start,
        "stop": context.stop,
        "state": lambda: context.state,
        "set state callback": lambda: context.set_state_changed_cb(print),
        "in flight": lambda: context.num_inflight_tasks,
        "flush tasks": context.flush_tasks,
        "size": lambda: context.max_msg_size,
        "set size": lambda: setattr(context, "max_msg_size", 100),
        "queue": lambda: context.recv_queue_size,
        "set queue": lambda: setattr(context, "recv_queue_size", 8),
        "tasks": lambda: context.task_send_set_conf(print, print, 1),
        "messages": lambda: context.event_msg_recv_register(print),
        "allocate": side.task,
        "destroy": context.destroy,
        "close": context.close,
        "submit": held.submit,
        "try submit": held.try_submit,
        "submit with flags": lambda: held.submit_ex(0),
        "free": held.free,
        "update info": connection.update_info,
        "counter": lambda: connection.get_counter(Counter.SENT_MESSAGES),
        "server of": lambda: connection.server,
        "client of": lambda: connection.client,
        "progress": engine.progress,
        "wait": lambda: engine.wait(0),
        "handle": lambda: engine.notification_handle,
        "request": engine.request_notification,
        "clear": engine.clear_notification,
        "engine in flight": lambda: engine.num_inflight_tasks,
        "engine destroy": engine.destroy,
    }


def port_calls(end: End) -> Calls:
    """Everything that can be called on a pull port and its connection."""
    context, port, connection = end.context, end.port, end.connection
    return {
        "send": lambda: port.send(connection, b"x"),
        "receive": port.receive,
        "receive some": lambda: port.receive(4),
        "accept": port.accept,
        "pending": lambda: port.pending,
        "status": lambda: port.status(connection),
        "in flight": lambda: port.in_flight(connection),
        "failed": lambda: port.failed(connection),
        "send_fd": lambda: port.send_fd,
        "recv_fd": lambda: port.recv_fd,
        "arm_send": port.arm_send,
        "arm_recv": port.arm_recv,
        "close": port.close,
        "context receive": lambda: context.receive(timeout=0),
        "iterate": lambda: next(iter(context)),
        "connection send": lambda: connection.send(b"x"),
        "connection flush": connection.flush,
        "connection in flight": lambda: connection.in_flight,
        "update info": connection.update_info,
        "progress": context.engine.progress,
        "stop": context.stop,
        "context close": context.close,
    }


def device_calls(device: comch.Device) -> Calls:
    """Everything that leads from an open device to something else."""
    return {
        "devinfo": lambda: device.devinfo,
        "representors": device.representors,
        "open representor": lambda: device.open_representor("b1:00.1"),
        "server": lambda: Server(device, "b1:00.1", "other"),
        "client": lambda: Client(device, "other"),
        "map": lambda: comch.Mmap(device, 4096),
        "import": lambda: comch.Mmap.create_from_export(b"", device),
        "close device": device.close,
    }


def server_calls(server: Server) -> Calls:
    """What only a server with a port has."""
    return {
        "connections": lambda: server.connections,
        "waiting": lambda: server.pending,
        "update info of server": server.update_info,
        "service_fd": lambda: server.service_fd,
        "arm_service": server.arm_service,
    }


def test_devices_and_representors() -> None:
    with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host:
        with dpu.open_representor("b1:00.1") as rep:
            only_bad_state({**device_calls(dpu), "info": lambda: rep.devinfo_rep, "close": rep.close})
            only_bad_state(device_calls(host))
            Server(dpu, rep, "unharmed").close()


def test_lists_of_devices_stay_readable() -> None:
    listed = comch.devices()
    with comch.open_device("03:00.0") as dpu:
        reps = dpu.representors()

        def body() -> tuple[list[str], list[str]]:
            return [info.pci_addr_str for info in listed], [info.pci_addr_str for info in reps]

        assert in_child(body) == body()


ONE_OPEN = """
[[device]]
pci_addr = "b2:00.0"
side = "host"
limits = { max_open = 1 }
"""


def test_a_child_has_opened_no_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One may be open per process, and the parent has it; no other test opens that one."""
    topology = tmp_path / "topology.toml"
    topology.write_text(ONE_OPEN, encoding="utf-8")
    monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))

    def open_it() -> str:
        return comch.outcome(comch.open_device, "b2:00.0")[0].name

    with comch.open_device("b2:00.0"):
        assert open_it() == "INITIALIZATION"
        assert in_child(lambda: (open_it(), open_it())) == ("SUCCESS", "INITIALIZATION")


def test_tasks_and_callbacks() -> None:
    there, here = pair()
    tasks = here.task(), there.task()
    only_bad_state(task_calls(here, tasks[0]))
    only_bad_state({**task_calls(there, tasks[1]), "disconnect": lambda: there.context.disconnect(there.connection)})
    here.send(b"ping")
    there.send(b"pong")
    until(lambda: there.messages and here.messages and here.done and there.done, there.engine, here.engine)
    assert (there.messages, here.messages) == ([b"ping"], [b"pong"])
    for task in tasks:
        task.free()
    leave(here, there)


@pytest.mark.parametrize("form", FORMS)
def test_ports(runtime_dir: Path, form: str) -> None:
    stage = Stage()
    there, here = stage.pair(form, form)
    assert here.send(b"waits")
    assert there.send(b"waits, too")
    files = sorted(runtime_dir.iterdir())
    there.context.update_info()
    for end in (there, here):
        only_bad_state(port_calls(end))
    only_bad_state(server_calls(there.context))
    assert there.context.connections == [there.connection]
    assert sorted(runtime_dir.iterdir()) == files
    assert (there.receive(), here.receive()) == (b"waits", b"waits, too")
    for end, other in ((there, here), (here, there)):
        assert end.send(b"on")
        assert other.receive() == b"on"
    stage.close()


WHEN = ["rung before the fork", "rung after it"]


def stays_ready(descriptor: int, ring: Callable[[], object], calls: Calls, when: str) -> None:
    """A descriptor that is armed is ready when it is rung, and stays so, whatever a child calls before or then."""
    for turn in WHEN:
        if turn == when:
            until(lambda: (ring(), ready(descriptor))[1])
        else:
            only_bad_state(calls)
    assert ready(descriptor)


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("form", FORMS)
def test_a_child_takes_no_wake_up_for_a_message_from_its_parent(form: str, when: str) -> None:
    stage = Stage()
    there, here = stage.pair(form, form)
    there.port.arm_recv()
    calls = {"arm": there.port.arm_recv, "clear": there.context.engine.clear_notification, "stop": there.context.stop}
    stays_ready(there.port.recv_fd, lambda: here.send(b"x"), calls, when)
    assert there.receive() == b"x"
    stage.close()


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("form", FORMS)
def test_a_child_takes_no_wake_up_for_a_send_from_its_parent(form: str, when: str) -> None:
    stage = Stage()
    there, here = stage.pair(form, form)
    while here.send(b"x"):
        pass
    here.port.arm_send()
    calls = {"arm": here.port.arm_send, "clear": here.context.engine.clear_notification, "stop": here.context.stop}
    stays_ready(here.port.send_fd, there.port.receive, calls, when)
    assert here.send(b"y")
    stage.close()


@pytest.mark.parametrize("when", WHEN)
def test_a_child_takes_no_wake_up_of_an_engine_from_its_parent(when: str) -> None:
    there, here = pair()
    sleep(there.engine)
    calls = {
        "request": there.engine.request_notification,
        "clear": there.engine.clear_notification,
        "progress": there.engine.progress,
        "destroy": there.engine.destroy,
    }
    stays_ready(there.engine.notification_handle, lambda: here.context.num_inflight_tasks or here.send(), calls, when)
    until(lambda: there.messages and here.done, there.engine, here.engine)
    leave(here, there)


@pytest.mark.parametrize("form", FORMS)
def test_a_child_keeps_no_descriptors_of_its_parents_ports(form: str) -> None:
    stage = Stage()
    before = in_child(open_fds)
    ends = stage.pair(form, form)
    for end in ends:
        assert end.port.recv_fd != end.port.send_fd
    assert in_child(open_fds) == before
    stage.close()


def test_a_child_keeps_no_descriptor_of_its_parents_blocking_channel() -> None:
    before = in_child(open_fds)
    channel = comch.BlockingChannel(comch.InitAttr())
    channel.listen("svc")
    assert channel.recv_fd >= 0
    assert in_child(open_fds) == before
    only_bad_state({"descriptor": lambda: channel.recv_fd, "receive": lambda: channel.receive(timeout=0)})
    channel.close()


def test_contexts_that_never_ran() -> None:
    sides = server(), client()
    for side in sides:
        only_bad_state({"start": side.context.start, "state": partial(getattr, side.context, "state")})
    connect(*sides)
    leave(*sides)


def test_a_fork_inside_a_callback() -> None:
    there, here = pair()
    told: list[str] = []

    def fork(connection: comch.Connection, data: bytes) -> None:
        def body() -> str:
            return comch.outcome(there.engine.progress)[0].name

        told.append(in_child(body))

    leave(here, there)
    there, here = server(), client()
    there.context.event_msg_recv_register(fork)
    connect(there, here)
    here.send(b"x")
    until(lambda: told and here.done, there.engine, here.engine)
    assert told == ["BAD_STATE"]
    leave(here, there)


ENDS = {"BadState": None, "KeyError": KeyError()}  # a call that called back, by what the callback raises in the child


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("most", [None, 1])
@pytest.mark.parametrize("event", ["message", "completion", "connection", "state"])
def test_a_child_that_leaves_its_callback(event: str, most: int | None, ends: str) -> None:
    """The call that called back ends there with what the callback raises, or is refused; in the parent it goes on."""
    callback = Forking(ENDS[ends])

    def done(task: comch.SendTask) -> None:
        callback()
        task.free()

    def up(connection: comch.Connection, ok: bool) -> None:
        there.up.append((connection, ok))
        callback()

    there, here = server(), client()
    there.engine.max_events = here.engine.max_events = most
    if event == "message":
        there.context.event_msg_recv_register(callback)
    elif event == "completion":
        here.context.task_send_set_conf(done, done, 64)
    elif event == "connection":
        there.context.event_connection_status_changed_register(up, up)
    else:
        here.context.set_state_changed_cb(callback)

    def run() -> None:
        connect(there, here)
        for _ in range(3):
            here.send(b"x")
        until(lambda: callback.pids and here.context.num_inflight_tasks == 0, there.engine, here.engine)

    assert callback.told_by_child(run) == ends
    leave(here, there)


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("most", [None, 1])
def test_a_child_that_leaves_the_callback_of_a_fast_receive(most: int | None, ends: str) -> None:
    callback = Forking(ENDS[ends])
    lane = Lane()
    lane.inbox.consumer.engine.max_events = most

    def done(task: comch.PostRecvTask) -> None:
        lane.inbox._done(task)
        callback()

    lane.inbox.consumer.task_post_recv_set_conf(done, done, 8)
    lane.run()
    lane.inbox.post(1)
    lane.outbox.send(lane.inbox.consumer.id, b"x")
    assert callback.told_by_child(lambda: lane.until(lambda: callback.pids)) == ends
    lane.close()


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("call", ["start", "stop", "stop of a client", "listen"])
def test_a_child_that_leaves_a_callback_outside_of_progress(call: str, ends: str) -> None:
    """As in progress."""
    callback = Forking(ENDS[ends])
    there, here = server(pulled=call == "listen"), client()
    if call.startswith("stop"):
        connect(there, here)
    context = here.context if call.endswith("client") else there.context
    context.set_state_changed_cb(callback)
    assert callback.told_by_child(getattr(context, call.split()[0])) == ends
    leave(here, there)


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("call", ["listen", "start", "stop"])
def test_a_child_that_leaves_a_callback_of_a_one_sided_context(call: str, ends: str) -> None:
    callback = Forking(ENDS[ends])
    with comch.open_device("03:00.0") as dpu, dpu.open_representor("b1:00.0") as rep:
        context = Server(dpu, rep, "svc", one_sided=True)
        if call != "listen":
            context.listen()
        if call == "start":
            context.stop()
        context.set_state_changed_cb(callback)
        assert callback.told_by_child(getattr(context, call)) == ends
        context.close()


@pytest.mark.parametrize("ends", ENDS)
def test_a_child_that_leaves_the_free_callback_of_a_map(ends: str) -> None:
    callback = Forking(ENDS[ends])
    with comch.open_device("b1:00.0") as device:
        mmap = comch.Mmap(device, 4096, comch.AccessFlag.LOCAL_READ_WRITE)
        mmap.set_free_cb(callback)
        mmap.start()
        assert callback.told_by_child(mmap.destroy) == ends
