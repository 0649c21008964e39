"""again and full: refused without effect, and who waits to try again is woken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comch_next import Again, NoMemory
from tests.control_path.pair import leave, pair, until
from tests.fast_path.lane import Lane
from tests.faults_on_demand.conftest import Demand
from tests.processes import SOON_S, StartPython
from tests.pull.support import FORMS, PEER, Stage, ready
from tests.pull.support import until as until_so
from tests.trace.lines import accepted, of, read, received

MakeStage = Callable[[str], Stage]
RUN = ("-m", "comm_channel_compat", "run")

# A client that sends as programs do, and a service that echoes, each with its faults.
SERVICE = """
import comch_next as comch
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc") as server:
    print("up", flush=True)
    for _ in range(30):
        server.receive(timeout=60).reply(b"!", timeout=60)
    server.receive(timeout=60)
"""
CLIENT = """
import contextlib
import comch_next as comch
with contextlib.closing(comch.Client(comch.open_device("b1:00.0"), "svc")) as client:
    client.connect(timeout=60)
    for number in range(30):
        client.connection.send(b"%d" % number, timeout=60)
    for _ in range(30):
        client.receive(timeout=60)
    client.connection.send(b"bye", timeout=60)
    client.connection.flush(timeout=60)
"""


def test_a_send_is_refused_so_often(make_stage: MakeStage) -> None:
    there, here = make_stage("again:send@2x3").pair("driver", "driver")
    assert [here.send(b"%d" % number) for number in range(6)] == [True, False, False, False, True, True]
    assert [there.receive() for _ in range(3)] == [b"0", b"4", b"5"]
    assert there.send(b"answer")


def test_send_fd_tells_at_once_after_again(make_stage: MakeStage) -> None:
    _, here = make_stage("again:send@1").pair("driver", "driver")
    assert not here.send(b"x")
    here.port.arm_send()
    assert ready(here.port.send_fd)
    assert here.send(b"x")


def test_send_fd_sleeps_while_full(make_stage: MakeStage) -> None:
    there, here = make_stage("full:send@2=0.2s, full:send@3=1000s").pair("driver", "driver")
    assert [here.send(b"1"), here.send(b"2")] == [True, False]
    refused = 0
    while not here.send(b"2"):
        here.port.arm_send()
        assert ready(here.port.send_fd, SOON_S)
        refused += 1
    assert refused <= 1, "it slept until there was room"  # which there may be at once, on a busy machine
    assert not here.send(b"3")
    for _ in range(2):
        here.port.arm_send()
        assert not ready(here.port.send_fd)
    assert [there.receive(), there.receive()] == [b"1", b"2"]


def test_send_fd_wakes_for_a_death_while_full(make_stage: MakeStage, start_python: StartPython) -> None:
    server = make_stage("full:send@1=1000s").server("driver")
    server.context.start()
    peer = start_python("-c", PEER, env={"COMCH_FAULTS": ""})
    connection = until_so(server.accept)
    assert not server.send(connection, b"1")
    server.arm_send()
    assert not ready(server.send_fd)
    peer.say("die\n")
    assert ready(server.send_fd, SOON_S)


def test_a_task_is_not_to_be_had(demand: Demand) -> None:
    demand("again:task@2x2")
    there, here = pair()
    here.send(b"1")
    until(lambda: here.done, here.engine, there.engine)
    for _ in range(2):
        with pytest.raises(NoMemory):
            here.send(b"2")
        assert here.engine.wait(SOON_S), "the program is woken to try again"
        here.engine.progress()
    here.send(b"2")
    until(lambda: there.messages == [b"1", b"2"], here.engine, there.engine)
    until(lambda: len(here.done) == 2, here.engine, there.engine)
    leave(here, there)


def test_the_engine_wakes_when_the_pool_is_full_no_more(demand: Demand) -> None:
    demand("full:task@1=0.2s")
    there, here = pair()
    tries = 0
    while not there.messages:
        try:
            here.send(b"1")
            until(lambda: there.messages, here.engine, there.engine)
        except NoMemory:
            tries += 1
            assert here.engine.wait(SOON_S)
            here.engine.progress()
    assert tries < 20, "it slept"
    until(lambda: here.done, here.engine)
    assert not here.engine.wait(0.05), "it sleeps again"
    leave(here, there)


def test_a_refusal_takes_no_task(demand: Demand) -> None:
    demand("again:task@1x500")
    there, here = pair(tasks=2)
    for _ in range(500):
        with pytest.raises(NoMemory):
            here.task()
    tasks = [here.task(), here.task()]
    for task in tasks:
        task.free()
    leave(here, there)


def test_a_producer_is_refused(demand: Demand) -> None:
    demand("again:producer@2x2, full:producer@3=0.1s")
    lane = Lane().run()
    lane.inbox.post(4)
    number = lane.inbox.consumer.id
    lane.outbox.send(number, b"1")
    for _ in range(2):
        with pytest.raises(Again):
            lane.outbox.send(number, b"2")
    lane.outbox.send(number, b"2")
    with pytest.raises(Again):
        lane.outbox.send(number, b"3")
    lane.outbox.send_on(number, b"3", *lane.engines)
    lane.until(lambda: [data for data, _ in lane.inbox.received] == [b"1", b"2", b"3"])
    lane.until(lambda: lane.outbox.sent == 3)
    lane.close()


@pytest.mark.parametrize("kinds", FORMS)
def test_programs_that_try_again(tmp_path: Path, start_python: StartPython, kinds: str) -> None:
    """Nothing is lost, doubled or out of order; on the threaded port the sends are tasks."""
    kind = {"driver": "send", "threaded": "task"}[kinds]
    env = {"COMCH_TRACE": str(tmp_path / "trace.jsonl"), "COMCH_PULL": kinds}
    server = start_python("-c", SERVICE, env={**env, "COMCH_FAULTS": f"again:{kind}@5x4,again:{kind}@6"})
    server.wait_for("up")
    client = start_python("-c", CLIENT, env={**env, "COMCH_FAULTS": f"again:{kind}@1x7, full:{kind}@10=0.1s"})
    assert [end.stderr for end in (client.finish(), server.finish())] == ["", ""]
    lines = read(tmp_path / "trace.jsonl")
    code = {"send": "DOCA_ERROR_AGAIN", "task": "DOCA_ERROR_NO_MEMORY"}[kind]
    assert len(of(lines, "send", side="server", result=code)) == 5
    assert len(of(lines, "send", side="client", result=code)) >= 8
    for sender, receiver, count in (("client", "server", 31), ("server", "client", 30)):
        assert len(accepted(lines, sender)) == count
        assert accepted(lines, sender).keys() == received(lines, receiver).keys()


def test_an_old_pair_says_the_same(start_python: StartPython) -> None:
    def told(faults: str) -> list[str]:
        service = start_python(*RUN, "samples_legacy/hello_service.py", env={"COMCH_FAULTS": faults})
        service.wait_for("listening")
        client = start_python(*RUN, "samples_legacy/hello_client.py", env={"COMCH_FAULTS": faults})
        return [client.succeed(), service.succeed()]

    usual = told("")
    assert all("DOCA_SUCCESS" in text for text in usual)
    assert told("again:send@1x20, full:send@2=0.1s") == usual
