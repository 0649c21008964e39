"""What is told of states, connections, tasks and the fast path, and that the program does not notice."""

from __future__ import annotations

import base64
import hashlib
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import Again, ConnectionReset, InUse, InvalidValue, NoMemory, State
from comch_next.driver import load
from comch_next.driver._traced._file import TraceFile
from comch_next.driver.protocol import Own
from tests.control_path.pair import DPU, REP, client, leave, pair, server, until
from tests.fast_path.lane import Lane
from tests.processes import SOON_S, StartPython
from tests.pull.support import FORMS, PEER, Stage
from tests.pull.support import until as pull_until
from tests.trace.lines import Line, accepted, of, read, received

SUCCESS = "DOCA_SUCCESS"


def states(lines: list[Line], **names: Any) -> list[tuple[str, str]]:
    return [(line["old"], line["new"]) for line in of(lines, "state", **names)]


def test_tasks_and_callbacks(trace: Path) -> None:
    there, here = pair()
    task = here.send(b"hello")
    task.user_data = "mine"
    until(lambda: there.messages and here.done, there.engine, here.engine)
    assert here.done[0].user_data == "mine"
    assert there.senders == [there.connection]
    leave(here, there)
    lines = read(trace)
    told = {"connection": 1, "n": 1, "length": 5, "digest": hashlib.sha256(b"hello").hexdigest()[:16]}
    for what, side in (("send", "client"), ("complete", "client"), ("receive", "server")):
        (line,) = of(lines, what, service="svc", side=side)
        assert told.items() <= line.items()
        assert line.get("result") == (None if what == "receive" else SUCCESS)
    assert states(lines, side="server") == [("IDLE", "RUNNING"), ("RUNNING", "STOPPING"), ("STOPPING", "IDLE")]
    assert states(lines, side="client")[:2] == [("IDLE", "STARTING"), ("STARTING", "RUNNING")]
    assert {line["side"]: line["ok"] for line in of(lines, "up")} == {"server": True, "client": True}
    assert {line["side"]: line.get("ok") for line in of(lines, "down")} == {"server": True, "client": None}
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))


def test_user_data_stays_the_programs(trace: Path) -> None:
    there, here = pair()
    driver, handle = here.engine._driver, here.connection._handle
    driver.connections.set_user_data(handle, "connection")
    driver.contexts.set_user_data(here.context._handle, "context")
    assert driver.connections.get_user_data(handle) == "connection"
    assert driver.contexts.get_user_data(here.context._handle) == "context"
    driver.connections.set_user_data(handle, here.context)
    leave(here, there)


def test_clients_are_numbered_as_they_come(trace: Path) -> None:
    there, here = pair()
    second = client()
    second.context.start()
    until(lambda: len(there.up) == 2, there.engine, second.engine)
    second.send(b"second")
    until(lambda: there.messages, there.engine, second.engine)
    leave(here, second, there)
    assert [line["connection"] for line in of(read(trace), "receive", side="server")] == [2]


def test_what_is_refused(trace: Path) -> None:
    there, here = pair()
    tasks = [here.task() for _ in range(64)]
    with pytest.raises(NoMemory):
        here.task(b"one too many")
    for task in tasks:
        task.free()
    leave(here, there)
    (line,) = of(read(trace), "send")
    assert (line["result"], line["length"], "n" in line) == ("DOCA_ERROR_NO_MEMORY", 12, False)


def test_what_is_refused_on_the_fast_path(trace: Path) -> None:
    lane = Lane().run()
    consumer, producer = lane.inbox.consumer, lane.outbox.producer
    posts = [consumer.task_post_recv_alloc_init() for _ in range(16)]
    with pytest.raises(NoMemory):
        consumer.task_post_recv_alloc_init()
    sends = [producer.task_send_alloc_init(None, b"now", consumer.id) for _ in range(16)]
    with pytest.raises(NoMemory):
        producer.task_send_alloc_init(None, b"now", consumer.id)
    for task in (*posts, *sends):
        task.free()
    ids = {"side": "client", "consumer": consumer.id, "producer": producer.id}
    lane.close()
    lines = read(trace)
    (post,), (send,) = of(lines, "post"), of(lines, "send", **ids)
    for line in (post, send):
        assert (line["result"], line["connection"], "n" in line) == ("DOCA_ERROR_NO_MEMORY", 1, False)


def released() -> memoryview:
    view = memoryview(b"gone")
    view.release()
    return view


class OtherBytes(bytearray):
    """What it is as bytes is not what it holds."""

    def __bytes__(self) -> bytes:
        raise AssertionError("it is sent as it is in memory")


def test_what_is_recorded_is_what_was_sent(trace: Path) -> None:
    there, here = pair()
    here.context.task_send_alloc_init(here.connection, OtherBytes(b"held")).submit()
    until(lambda: there.messages, there.engine, here.engine)
    leave(here, there)
    (sent,), (got,) = (of(read(trace), what) for what in ("send", "receive"))
    assert sent["digest"] == got["digest"] == hashlib.sha256(b"held").hexdigest()[:16]


def test_memory_that_has_been_released(trace: Path) -> None:
    there, here = pair()
    with pytest.raises(InvalidValue, match="takes a bytes-like message"):
        here.context.task_send_alloc_init(here.connection, released())
    leave(here, there)
    with closing(Stage()) as stage:
        _, pulled = stage.pair("driver", "driver")
        with pytest.raises(InvalidValue, match="takes a bytes-like message"):
            pulled.port.send(pulled.connection, released())
    lines = of(read(trace), "send")
    assert [(line["result"], "length" in line) for line in lines] == [("DOCA_ERROR_INVALID_VALUE", False)] * 2


def test_buffers_that_have_been_given_back(trace: Path) -> None:
    """The driver refuses them, and not what the trace asks."""
    lane = Lane().run()
    inbox, outbox = lane.inbox, lane.outbox
    room, data = inbox.inventory.buf_get_by_addr(inbox.mmap, inbox.mmap.addr, 64), outbox.buf(b"data")
    post = inbox.consumer.task_post_recv_alloc_init(room)
    send = outbox.producer.task_send_alloc_init(data, b"imm", inbox.consumer.id)
    for buf, task in ((room, post), (data, send)):
        buf.dec_refcount()
        with pytest.raises(InvalidValue, match="task_submit: the buffer has gone back"):
            task.submit()
        task.free()
    lane.close()
    lines = read(trace)
    (posted,), (sent,) = of(lines, "post"), of(lines, "send")
    assert (posted["result"], "room" in posted) == ("DOCA_ERROR_INVALID_VALUE", False)
    assert (sent["result"], sent["imm_length"], "length" in sent) == ("DOCA_ERROR_INVALID_VALUE", 3, False)


def test_a_dead_peer(trace: Path, start_python: StartPython) -> None:
    """The exception names the program's connection, and the trace has the loss."""
    with comch.Server(comch.open_device(DPU), REP, "svc") as server:
        peer = start_python("-c", PEER, env={"COMCH_TRACE": ""})
        peer.say("send last\n")
        message = server.receive(timeout=SOON_S)
        peer.say("die\n")
        with pytest.raises(ConnectionReset) as caught:
            server.receive(timeout=SOON_S)
        assert caught.value.connection is message.connection
        with pytest.raises(ConnectionReset) as caught:
            message.connection.send(b"too late")
        assert caught.value.connection is message.connection
    lines = read(trace)
    assert [line["result"] for line in of(lines, "lost", connection=1)] == ["DOCA_ERROR_CONNECTION_RESET"]
    assert [line["result"] for line in of(lines, "send")] == ["DOCA_ERROR_CONNECTION_RESET"]


def test_tasks_that_fail(trace: Path) -> None:
    """A client sends more than fits, and stops: what did not arrive completes with the reason."""
    there, here = pair(recv_queue_size=2)
    for _ in range(8):
        here.send()
    here.context.stop()
    until(lambda: here.state is State.IDLE, here.engine)
    assert here.failed
    lines = of(read(trace), "complete")
    assert sorted(line["n"] for line in lines) == list(range(1, 9))
    failed = [line for line in lines if line["result"] != SUCCESS]
    assert [line["result"] for line in failed] == [f"DOCA_ERROR_{task.status.name}" for task in here.failed]
    leave(here, there)


def test_the_fast_path(trace: Path) -> None:
    lane = Lane().run()
    number, producer = lane.inbox.consumer.id, lane.outbox.producer.id
    with pytest.raises(Again):
        lane.outbox.send(number, b"too early")
    lane.inbox.post(3, room=100)
    for data, imm in ((b"one", b""), (b"three" * 20, b"imm")):
        lane.outbox.send(number, data, imm)
        lane.until(lambda: lane.outbox.sent == len(lane.inbox.received))
    lane.outbox.producer.task_send_alloc_init(None, b"alone", number).submit()
    lane.until(lambda: lane.outbox.sent == len(lane.inbox.received) == 3)
    lane.inbox.post()
    lane.close()
    lines = read(trace)
    ids = {"service": "svc", "connection": 1, "consumer": number, "producer": producer}
    sent, arrived = accepted(lines, "client"), received(lines, "server")
    assert len(sent) == 3
    assert sent.keys() == arrived.keys()
    assert all(ids.items() <= line.items() for line in [*sent.values(), *arrived.values()])
    assert [line.get("imm_length") for line in sent.values()] == [None, 3, 5]
    assert [line["room"] for line in of(lines, "post", consumer=number)] == [100] * 3 + [4096]
    assert len(of(lines, "send", result="DOCA_ERROR_AGAIN", length=9)) == 1
    assert [line["n"] for line in of(lines, "complete", producer=producer, result=SUCCESS)] == [1, 2, 3]
    assert [line["result"] for line in of(lines, "complete", side="server")] == ["DOCA_ERROR_NOT_CONNECTED"]
    assert states(lines, side="server", consumer=number)[:2] == [("IDLE", "STARTING"), ("STARTING", "RUNNING")]
    for what in ("consumer_new", "consumer_expired"):
        assert [line["consumer"] for line in of(lines, what, side="client")] == [number]


@pytest.mark.parametrize("wanted", [True, False])
def test_payload_is_there_when_asked_for(trace: Path, monkeypatch: pytest.MonkeyPatch, wanted: bool) -> None:
    monkeypatch.setenv("COMCH_TRACE_PAYLOAD", str(int(wanted)))
    data = bytes(range(256)) * 15
    there, here = pair()
    here.send(data)
    until(lambda: there.messages, there.engine, here.engine)
    leave(here, there)
    lines = read(trace)
    for what, side in (("send", "client"), ("receive", "server")):
        (line,) = of(lines, what, side=side)
        parts = [line, *of(lines, "payload", of=line["seq"])]
        found = b"".join(base64.b64decode(part.get("payload", "")) for part in parts)
        assert found == (data if wanted else b"")
        assert [part["offset"] for part in parts[1:]] == ([1024, 2048, 3072] if wanted else [])


def test_a_pull_port_that_is_full(trace: Path) -> None:
    with closing(Stage()) as stage:
        waiting = stage.server("driver", recv_queue_size=1)
        there, here = stage.meet(waiting, stage.client("driver", send_queue_size=1))
        assert [here.send(b"1"), here.send(b"22"), here.send(b"333")] == [True, True, False]
        assert [there.receive(), there.receive()] == [b"1", b"22"]
        assert there.port.connections == [there.connection]
    lines = of(read(trace), "send")
    assert [(line["result"], line["length"], line.get("n")) for line in lines] == [
        (SUCCESS, 1, 1),
        (SUCCESS, 2, 2),
        ("DOCA_ERROR_AGAIN", 3, None),
    ]


def test_what_the_library_sends_for_itself_is_not_the_programs(trace: Path) -> None:
    """A client's threaded port asks how its connection ended, by a send that fails."""
    with closing(Stage()) as stage:
        there, here = stage.pair("driver", "threaded")
        assert here.send(b"last")
        assert there.receive() == b"last"
        there.context.stop()
        pull_until(lambda: here.port.status(here.connection) is comch.ErrorCode.SHUTDOWN)
    lines = of(read(trace), "send"), of(read(trace), "complete")
    assert [[line["length"] for line in what] for what in lines] == [[4], [4]]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("first", ["client", "server"])
def test_a_server_leaves_a_client_whoever_was_first(trace: Path, form: str, first: str) -> None:
    """Which end of a connection leaves first is a race: the trace has what the program did, either way."""
    with closing(Stage()) as stage:
        there, here = stage.pair(form, "driver")
        if first == "client":
            here.context.stop()
            pull_until(lambda: there.port.status(there.connection) is comch.ErrorCode.SHUTDOWN)
        there.context.disconnect(there.connection)
    assert len(of(read(trace), "disconnect", side="server", connection=1)) == 1


def test_the_sizes_with_which_an_end_starts(trace: Path) -> None:
    there, here = pair(max_msg_size=300, recv_queue_size=9)
    leave(here, there)
    with comch.Server(comch.open_device(DPU), REP, "pulled", send_queue_size=5) as server:
        with pytest.raises(Again):
            server.receive(timeout=0)
    started = [line for line in of(read(trace), "state") if line["old"] == "IDLE"]
    assert [(line["max_msg_size"], line["recv_queue_size"]) for line in started[:2]] == [(300, 9)] * 2
    assert [line.get("send_queue_size") for line in started] == [None, None, 5]
    sizes = {"max_msg_size", "recv_queue_size", "send_queue_size"}
    assert not [line for line in of(read(trace), "state") if line["old"] != "IDLE" and line.keys() & sizes]


def test_what_is_opened_and_closed(trace: Path) -> None:
    """Each with its handle; what is left open has no close, nor has what was not closed as it is in use."""
    dev, other = comch.open_device(DPU), comch.open_device(DPU)
    rep = dev.open_representor(REP)
    engine = comch.ProgressEngine()
    server = comch.Server(dev, rep, "svc", engine=engine)
    mmap, inventory = comch.Mmap(), comch.BufInventory(1)
    with pytest.raises(InUse):
        engine.destroy()
    for end in (server, engine, mmap, inventory):
        end.destroy()
    rep.close()
    dev.close()
    lines = read(trace)
    opened, closed = ([line["noun"] for line in of(lines, what)] for what in ("open", "close"))
    ended = ["engine", "context", "mmap", "buf_inventory"]
    assert opened == ["device", "device", "representor", *ended]
    assert closed == ["context", "engine", *ended[2:], "representor", "device"]
    living = {(line["noun"], line["handle"]): line for line in of(lines, "open")}
    assert all((line["noun"], line["handle"]) in living for line in of(lines, "close"))
    (made,) = of(lines, "open", noun="context")
    named = {"service": "svc", "side": "server", "pci_addr": f"0000:{DPU}", "rep_pci_addr": f"0000:{REP}"}
    assert named.items() <= made.items()
    other.close()


def test_an_invalid_handle_is_refused_as_without_a_trace(trace: Path) -> None:
    dev = comch.open_device(DPU)
    driver = dev._driver
    for noun, call in (("devices", "close"), ("devices", "rep_close"), ("contexts", "destroy"), ("engines", "destroy")):
        with pytest.raises(InvalidValue):
            getattr(getattr(driver, noun), call)("a text")
    assert of(read(trace), "close") == []
    dev.close()


def test_each_line_names_the_programs(trace: Path) -> None:
    """Here a test is the program, and a callback runs below the line that made progress."""
    there, here = pair()
    here.send(b"hello")
    until(lambda: there.messages, there.engine, here.engine)
    leave(here, there)
    lines = read(trace)
    assert all(Path(line["at"].rpartition(":")[0]).parts[-3] == "tests" for line in lines)
    (sent,) = of(lines, "send")
    path, _, number = sent["at"].rpartition(":")
    assert ".submit()" in Path(path).read_text().splitlines()[int(number) - 1]


def test_memory_that_only_tasks_reach(trace: Path) -> None:
    """Its bytes cannot be told, and travel as without a trace."""
    lane = Lane()
    here, there = lane.here.context.device, lane.there.context.device
    brought = comch.Mmap(here, bytearray(b"hello" * 1000), comch.AccessFlag.PCI_READ_WRITE)
    room = comch.Mmap(there, bytearray(4096), comch.AccessFlag.PCI_READ_WRITE)
    for mmap in (brought, room):
        mmap.start()
    source = comch.Mmap.create_from_export(brought.export_pci(here), here)
    lane.inbox.consumer.destroy()
    lane.inbox.mmap.destroy()
    lane.inbox.mmap = comch.Mmap.create_from_export(room.export_pci(there), there)
    lane.inbox.consumer = comch.Consumer(lane.there.connection, lane.inbox.mmap)
    ended: list[comch.PostRecvTask] = []
    lane.inbox.consumer.task_post_recv_set_conf(ended.append, ended.append, 4)
    lane.inbox._free = [lane.inbox.mmap.addr]
    lane.run()
    lane.inbox.post()
    buf = lane.outbox.inventory.buf_get_by_data(source, source.addr, 5)
    lane.outbox.producer.task_send_alloc_init(buf, b"", lane.inbox.consumer.id).submit()
    lane.until(lambda: ended and lane.outbox.sent)
    assert bytes(room.view[:5]) == b"hello"
    lane.inbox._give_back(ended[0])
    for mmap in (source, brought, room):
        mmap.destroy()
    number = lane.inbox.consumer.id
    lane.close()
    lines = read(trace)
    for what in ("send", "receive"):
        (line,) = of(lines, what, consumer=number)
        assert line.keys().isdisjoint({"length", "digest"})


@pytest.mark.parametrize("number", [object(), 10**5000, -1], ids=["none", "long", "negative"])
def test_a_refused_number_is_told_as_without_a_trace(trace: Path, number: Any) -> None:
    lane = Lane().run()
    with pytest.raises(InvalidValue, match="takes a whole number from 1"):
        lane.outbox.producer.task_send_alloc_init(None, b"x", number)
    lane.close()
    (line,) = of(read(trace), "send")
    assert line["result"] == "DOCA_ERROR_INVALID_VALUE"


def test_the_sizes_of_a_port_that_was_refused_are_told_of_none(trace: Path) -> None:
    with comch.open_device(DPU) as device:
        made = comch.Server(device, REP, "svc")
        with pytest.raises(InvalidValue):
            comch.PullPort(made, send_queue_size=object())  # type: ignore[arg-type]
        comch.PullPort(made)
        made.start()
        made.close()
    (line,) = of(read(trace), "state", old="IDLE")
    assert "send_queue_size" not in line


@pytest.mark.parametrize("own", [False, True])
def test_a_signal_that_comes_while_a_callback_is_recorded(
    trace: Path, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    """The callback runs all the same, and the signal's exception comes afterwards."""
    there = server()
    handle, contexts = there.context._handle, load().contexts
    told: list[State] = []

    def changed(_: object, __: object, new: State) -> None:
        told.append(new)

    contexts.set_state_changed_cb(handle, Own(changed) if own else changed)
    with monkeypatch.context() as patch:
        patch.setattr(TraceFile, "write", lambda *_: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            contexts.start(handle)
    assert told == [State.RUNNING]
    contexts.stop(handle)
    contexts.destroy(handle)
    there.engine.destroy()
    there.context.device.close()
