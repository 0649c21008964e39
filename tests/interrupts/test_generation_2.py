"""An interrupt at every place of a progress of generation 2: what it reports reaches the program once all the same."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from tests.cc.world import World, cc, okay
from tests.interrupts.strike import Strike, each_place


class Reporting(World):
    """Its callbacks note what they are called for, and no more: a callback can be interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[Any] = []
        self.gone: list[Any] = []
        self.states: list[tuple[int, int]] = []

    def sent(self, task: Any, task_user_data: Any, ctx_user_data: Any) -> None:
        self.tasks.append(task)

    def disconnected(self, event: Any, connection: Any, change_successful: int) -> None:
        self.gone.append(connection)

    def moved(self, user_data: Any, ctx: Any, before: int, after: int) -> None:
        self.states.append((before, after))

    def turn(self) -> None:
        while self.pe.progress():
            pass


@pytest.fixture
def world(runtime_dir: object) -> Iterator[Reporting]:
    gc.disable()  # what else it would come to is other tests' garbage
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    made = Reporting()
    okay(cc.doca_cc_server_event_connection_register(made.server, made.connected, made.disconnected))
    okay(cc.doca_ctx_set_state_changed_cb(made.client.as_ctx(), made.moved))
    assert made.connection
    yield made
    signal.signal(signal.SIGINT, before)
    gc.enable()
    made.close()


def test_messages_and_completions(world: Reporting) -> None:
    for strike in each_place(4):
        task = world.client.task_send_alloc_init(world.connection, b"hello", 5)
        task.as_task().submit()
        strike.hit(world.turn)
        world.turn()
        assert (world.messages, world.tasks) == ([b"hello"], [task]), strike.place
        task.as_task().free()
        world.messages.clear()
        world.tasks.clear()


def test_connections_and_states(world: Reporting) -> None:
    idle, starting, running = cc.DOCA_CTX_STATE_IDLE, cc.DOCA_CTX_STATE_STARTING, cc.DOCA_CTX_STATE_RUNNING
    client = world.client.as_ctx()
    for at in count(1, 3):
        for reports in (world.gone, world.connections, world.states):
            reports.clear()
        okay(cc.doca_ctx_stop(client))
        places = [interrupted(world, at, lambda: world.gone and world.state(world.client) == idle)]
        okay(cc.doca_ctx_start(client))
        places += [interrupted(world, at, lambda: world.connections and world.state(world.client) == running)]
        assert (len(world.gone), len(world.connections)) == (1, 1), places
        assert world.states[-2:] == [(idle, starting), (starting, running)], places
        assert world.states[0][0] == running, places
        assert world.states[-3][1] == idle, places
        assert len(world.states) in (3, 4), places  # STOPPING comes between, where it takes a progress to be IDLE
        if not any(places):
            assert at > 4
            return


def interrupted(world: Reporting, at: int, ended: Callable[[], object]) -> str:
    """Progress until then, and after, with an interrupt at that place. Where that was; empty if there were fewer."""
    strike = Strike(at)
    strike.hit(lambda: world.until(ended))
    world.until(ended)
    world.turn()
    return strike.place
