"""Whoever comes in great numbers, or fast, does not keep a server from those whom it has, nor from those who greet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import comch_next as comch
from comch_next.driver.emulated._fabric import lobby
from tests.control_path.pair import Side, client, connect, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.fabric.hostile import Attacker
from tests.processes import Child, StartPython
from tests.strangers.crowd import FLOOD, greeters, hung_up, knockers
from tests.topologies import limited

SHARE = 16  # clients that one call lets in at most
ANSWERS = 200
MOST_TURNS = 1000  # for one message that waits


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who says nothing is waited for: on a busy machine one that greets may be late."""
    monkeypatch.setattr(lobby, "_PATIENCE_S", 3600.0)


@pytest.fixture
def service() -> Iterator[tuple[Side, Side]]:
    """A server and its honest client."""
    there, here = server(), client()
    connect(there, here)
    yield there, here
    leave(here, there)


def stop(flood: Child) -> None:
    """End what has flooded all the while."""
    assert flood.process.poll() is None, flood.finish()
    flood.kill()


def echo(there: Side, here: Side) -> None:
    """One message and its answer."""
    here.send(b"question")
    until(lambda: there.messages, there.engine)
    there.messages.clear()
    there.send(b"answer", there.senders.pop())
    until(lambda: here.messages, here.engine, there.engine)
    here.messages.clear()


def test_a_flood_of_connects_holds_nobody_up(
    service: tuple[Side, Side], runtime_dir: Path, start_python: StartPython
) -> None:
    there, here = service
    flood = start_python("-c", FLOOD, str(runtime_dir))
    flood.wait_for("flooding")
    for _ in range(ANSWERS):
        echo(there, here)
    stop(flood)


def test_a_client_comes_in_through_a_flood_of_connects(
    service: tuple[Side, Side], runtime_dir: Path, start_python: StartPython
) -> None:
    there, _ = service
    flood = start_python("-c", FLOOD, str(runtime_dir))
    flood.wait_for("flooding")
    other = client()
    connect(there, other)
    echo(there, other)
    stop(flood)
    leave(other)


def test_a_pulling_server_answers_through_a_flood_of_connects(runtime_dir: Path, start_python: StartPython) -> None:
    here = client()
    with comch.open_device("03:00.0") as device, comch.Server(device, "b1:00.0", "svc") as there:
        flood = start_python("-c", FLOOD, str(runtime_dir))
        flood.wait_for("flooding")
        here.context.start()
        while here.state is not comch.State.RUNNING:
            comch.outcome(there.receive, timeout=0)
            here.engine.progress()
        for _ in range(ANSWERS):
            here.send(b"question")
            turns = 0
            while (found := comch.outcome(there.receive, timeout=0)[1]) is None:
                turns += 1
                assert turns < MOST_TURNS
            found.reply(b"answer")
            until(lambda: here.messages, here.engine)
            here.messages.clear()
        stop(flood)
        leave(here)


def test_one_look_takes_few_of_those_who_knock(service: tuple[Side, Side], runtime_dir: Path) -> None:
    """However many there are: what is already there is served in between."""
    there, here = service
    with knockers(runtime_dir, 400):
        before = collected_fds()
        here.send(b"question")
        there.engine.progress()
        assert open_fds() - before <= 64
        until(lambda: there.messages, there.engine)


def test_one_look_lets_few_in(service: tuple[Side, Side], runtime_dir: Path) -> None:
    there, here = service
    with greeters(runtime_dir, 200):
        while len(there.up) < 201:
            here.engine.progress()  # frees what has been sent: on a busy machine greeters take longer
            here.send(b"question")
            known = len(there.up)
            there.engine.progress()
            assert len(there.up) - known <= 4 * SHARE  # where it takes long, one progress looks more than once
            until(lambda: there.messages, there.engine)
            there.messages.clear()
    until(lambda: len(there.down) == 200, there.engine)


def test_one_receive_lets_few_in(runtime_dir: Path) -> None:
    """On a one-sided server it lets in all who wait, as generation 1 did."""
    with comch.open_device("03:00.0") as device:
        with comch.Server(device, "b1:00.0", "svc") as there:
            with greeters(runtime_dir, 100):
                known = 0
                while known < 100:
                    with pytest.raises(comch.Again):
                        there.receive(timeout=0)
                    there.update_info()
                    assert len(there.connections) - known <= SHARE
                    known = len(there.connections)


# Those who connect and say nothing


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many clients servers may have."""
    limited(tmp_path, monkeypatch, max_clients=4)
    return 4


def test_the_silent_take_no_clients_place(small: int, runtime_dir: Path) -> None:
    there = server()
    there.context.start()
    with knockers(runtime_dir, 3 * small) as silent:
        there.engine.progress()
        others = [client() for _ in range(small)]
        for other in others:
            connect(there, other)
        assert not any(map(hung_up, silent))
        late = client()
        late.context.start()
        until(lambda: late.state is comch.State.IDLE, there.engine, late.engine)
    leave(late, *others, there)


def test_of_many_silent_ones_the_oldest_go(service: tuple[Side, Side], runtime_dir: Path) -> None:
    there, _ = service
    before = collected_fds()
    with knockers(runtime_dir, 600) as silent:
        until(lambda: open_fds() >= before + 600 and hung_up(silent[0]), there.engine)
        until(lambda: not there.engine.wait(0.0), there.engine)
        kept = [not hung_up(sock) for sock in silent]
        assert kept == sorted(kept), "the oldest go first"
        assert 16 <= sum(kept) <= 128
        other = client()
        connect(there, other)
        leave(other)


def test_one_that_greets_late_is_still_heard(service: tuple[Side, Side], runtime_dir: Path) -> None:
    """What the flood leaves alone is whoever has said something by the time of the choice."""
    there, _ = service
    late = Attacker(runtime_dir)
    there.engine.wait(0.1)
    there.engine.progress()
    with knockers(runtime_dir, 300):
        late.greet()
        until(lambda: len(there.up) > 1, there.engine)
        assert late.code() == comch.ErrorCode.SUCCESS
    late.close()
    until(lambda: there.down, there.engine)


def test_who_has_greeted_waits_for_a_server_that_has_been_busy(
    service: tuple[Side, Side], runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has more clients than it lets in at once, and the patience with silent ones is over at its next look."""
    there, _ = service
    monkeypatch.setattr(lobby, "_PATIENCE_S", 0.0)
    before = collected_fds()
    crowd = [Attacker(runtime_dir) for _ in range(3 * SHARE)]
    for each in crowd:
        each.greet()
    until(lambda: len(there.up) == len(crowd) + 1, there.engine)
    assert all(ok for _, ok in there.up)
    for each in crowd:
        each.close()
    until(lambda: len(there.down) == len(crowd), there.engine)
    assert open_fds() == before
