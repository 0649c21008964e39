"""An interrupt at every place of a progress of generation 2: what it reports reaches the program once all the same."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.cc.world import World
from tests.interrupts.strike import Strike


class Reporting(World):
    """Its callbacks note what they are called for, and no more: a callback can be interrupted."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[Any] = []

    def sent(self, task: Any, task_user_data: Any, ctx_user_data: Any) -> None:
        self.tasks.append(task)

    def turn(self) -> None:
        while self.pe.progress():
            pass


@pytest.fixture
def world(runtime_dir: object) -> Iterator[Reporting]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    made = Reporting()
    assert made.connection
    yield made
    signal.signal(signal.SIGINT, before)
    made.close()


def test_messages_and_completions(world: Reporting) -> None:
    for at in count(1):
        task = world.client.task_send_alloc_init(world.connection, b"hello", 5)
        task.as_task().submit()
        strike = Strike(at)
        strike.hit(world.turn)
        world.turn()
        assert (world.messages, world.tasks) == ([b"hello"], [task]), strike.place
        task.as_task().free()
        world.messages.clear()
        world.tasks.clear()
        if not strike.place:
            assert at > 4
            return
