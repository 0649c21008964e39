"""delay: a service that does not see its clients for a while."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from comch_next import State
from tests.control_path.pair import client, connect, leave, pair, server, until
from tests.faults_on_demand.conftest import Demand
from tests.inside import inside
from tests.processes import SOON_S
from tests.pull.support import Stage, ready
from tests.pull.support import until as pull_until

MakeStage = Callable[[str], Stage]


def test_a_client_is_seen_when_the_time_has_passed(demand: Demand) -> None:
    """Both sides sleep: the server's engine is woken in time."""
    demand("delay:service@1=0.2s")
    there, here = server(), client()
    there.context.start()
    here.context.start()
    turns = 0
    while not there.up:
        assert there.engine.wait(SOON_S)
        there.engine.progress()
        turns += 1
    assert turns < 20, "it slept"
    until(lambda: here.state is State.RUNNING, here.engine)
    here.send(b"hello")
    until(lambda: there.messages and here.done, here.engine, there.engine)
    assert not there.engine.wait(0.05), "it sleeps again"
    leave(here, there)


def test_who_comes_after_waits_as_well(demand: Demand) -> None:
    demand("delay:service@2=1000s")
    there, here = pair()
    late = client(), client()
    for side in late:
        side.context.start()
    for _ in range(200):
        for engine in (there.engine, here.engine, *(side.engine for side in late)):
            engine.wait(0.001)
            engine.progress()
    assert [side.state for side in late] == [State.STARTING] * 2
    assert len(there.up) == 1
    here.send(b"still here")
    until(lambda: there.messages and here.done, here.engine, there.engine)
    leave(there)
    until(lambda: all(side.state is State.IDLE for side in late), *(side.engine for side in late))
    leave(here, *late)


def test_a_client_that_gives_up_is_a_handshake_that_broke(demand: Demand) -> None:
    demand("delay:service@1=0.2s")
    there, here, other = server(), client(), client()
    there.context.start()
    here.context.start()
    until(lambda: there.context._handle.late, there.engine, here.engine)
    leave(here)
    connect(there, other)
    assert [ok for _, ok in there.up] == [False, True]
    leave(other, there)


@pytest.mark.parametrize("one_sided", [False, True])
def test_a_port_is_told(make_stage: MakeStage, one_sided: bool) -> None:
    """Its descriptors wake when the client is seen; what is pending is not before."""
    stage = make_stage("delay:service@1=0.2s")
    port, coming = stage.server("driver", one_sided=one_sided), stage.client("driver")
    port.context.start()
    coming.context.start()
    for name in ("recv", "service"):
        getattr(port, f"arm_{name}")()
    woken = 0
    while not port.pending:
        assert ready(port.recv_fd, SOON_S)
        assert ready(port.service_fd, SOON_S)
        woken += 1
        if not port.pending:
            port.arm_recv()
            port.arm_service()
    assert woken < 20, "it slept"
    assert port.accept() is not None


def test_a_one_sided_port_is_told_of_several(make_stage: MakeStage) -> None:
    stage = make_stage("delay:service@1=1000s")
    port, coming = stage.server("driver", one_sided=True), [stage.client("driver") for _ in range(3)]
    port.context.start()
    assert not ready(port.recv_fd)
    for each in coming:
        each.context.start()
    late = inside(port.context).late
    pull_until(lambda: port.pending == 0 and len(late) == 3)


def test_a_server_that_stops_lets_go(demand: Demand) -> None:
    demand("delay:service@1=1000s")
    there, here = server(), client()
    there.context.start()
    here.context.start()
    until(lambda: there.context._handle.late, there.engine, here.engine)
    leave(there)
    until(lambda: here.state is State.IDLE, here.engine)
    leave(here)
