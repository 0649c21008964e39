"""drop: a connection ends as if each side had seen the other die."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

import comch_next as comch
from comch_next import ConnectionReset, ErrorCode, State
from tests.control_path.pair import leave, pair, until
from tests.fast_path.lane import Lane
from tests.faults_on_demand.conftest import Demand
from tests.processes import StartPython
from tests.pull.support import PEER, Stage
from tests.pull.support import until as until_so
from tests.streams.support import connected

MakeStage = Callable[[str], Stage]
RESET = ErrorCode.CONNECTION_RESET


def test_both_ends_of_a_pull_port(make_stage: MakeStage) -> None:
    there, here = make_stage("drop:send@3").pair("driver", "driver")
    assert [here.send(b"1"), here.send(b"2")] == [True, True]
    with pytest.raises(ConnectionReset) as caught:
        here.send(b"3")
    assert caught.value.connection is here.connection
    with pytest.raises(ConnectionReset):
        here.port.receive()
    assert [there.receive(), there.receive()] == [b"1", b"2"]
    with pytest.raises(ConnectionReset) as caught:
        until_so(there.port.receive)
    assert caught.value.connection is there.connection
    with pytest.raises(ConnectionReset):
        there.send(b"x")
    assert there.port.receive() is None, "told once"
    assert (here.port.status(here.connection), there.port.status(there.connection)) == (RESET, RESET)


def test_another_process_sees_a_death(make_stage: MakeStage, start_python: StartPython) -> None:
    """The faults are the peer's; this side has none that strike."""
    stage = make_stage("again:send@1000")
    server = stage.server("driver")
    server.context.start()
    peer = start_python("-c", PEER, env={"COMCH_FAULTS": "drop:send@2"})
    connection = until_so(server.accept)
    peer.say("send one\nsend two\n")
    assert until_so(server.receive) == (b"one", connection)
    with pytest.raises(ConnectionReset):
        until_so(server.receive)
    done = peer.finish()
    assert "ConnectionReset" in done.stderr


def test_tasks_in_flight_fail_once(demand: Demand) -> None:
    demand("drop:task@6")
    there, here = pair(recv_queue_size=2)
    tasks = [here.send(b"%d" % number) for number in range(6)]
    until(lambda: there.down and here.state in (State.STOPPING, State.IDLE), here.engine, there.engine)
    until(lambda: len(here.done) + len(here.failed) == 6, here.engine)
    assert {*here.done, *here.failed} == set(tasks)
    assert {task.status for task in here.failed} == {RESET}
    assert there.down == [(there.connection, False)]
    assert there.messages == [b"%d" % number for number in range(len(here.done))]
    leave(here, there)


def test_the_fast_path_goes_with_it(demand: Demand) -> None:
    demand("drop:producer@2")
    lane = Lane().run()
    lane.inbox.post(3)
    for data in (b"1", b"2"):
        lane.outbox.send(lane.inbox.consumer.id, data)
    lane.until(lambda: lane.there.down and lane.inbox.consumer.state is State.IDLE)
    lane.until(lambda: lane.outbox.producer.state is State.IDLE)
    assert lane.there.down == [(lane.there.connection, False)]
    assert len(lane.inbox.received) + len(lane.inbox.failed) == 3
    assert set(lane.inbox.failed) == {"CONNECTION_RESET"}
    lane.close()


def test_both_ends_of_a_stream(demand: Demand) -> None:
    """Whose engine is not that of the connection, so that nobody may progress the latter."""
    demand("drop:producer@20")
    with connected() as ends:
        codes = ends.both(
            lambda stream: comch.outcome(stream.send_stream, bytes(100_000), chunk_size=1000)[0],
            lambda stream: comch.outcome(stream.recv_stream, io.BytesIO(), chunk_size=1000)[0],
        )
    assert codes == (RESET, RESET)


def test_an_old_pair_reports_it(start_python: StartPython) -> None:
    run = ("-m", "comm_channel_compat", "run")
    service = start_python(*run, "samples_legacy/hello_service.py")
    service.wait_for("listening")
    client = start_python(*run, "samples_legacy/hello_client.py", env={"COMCH_FAULTS": "drop:send@2"})
    for end in (client.finish(), service.finish()):
        assert end.returncode == 1
        assert "result DOCA_ERROR_CONNECTION_RESET" in end.stdout
