"""comch_next with tasks and callbacks, asleep in epoll on the engine's notification handle."""

from __future__ import annotations

import select
from collections.abc import Callable
from pathlib import Path

import comch_next as comch
from benchmarks.rivals._end import End
from benchmarks.rivals.comch_tasks import Tasks, meet_as_client, meet_as_server, new_client, new_server


class SleepingTasks(Tasks):
    """Progress until there is nothing to do, ask for a notification, sleep."""

    def __init__(self, context: comch.Server | comch.Client) -> None:
        super().__init__(context)
        self.poller = select.epoll()
        self.poller.register(context.engine.notification_handle, select.EPOLLIN)

    def receive_many(self, count: int) -> None:
        engine, poller = self.context.engine, self.poller
        self.taken += count
        while True:
            while engine.progress():
                pass
            if self.arrived >= self.taken:
                return
            engine.request_notification()
            poller.poll()
            engine.clear_notification()


def serve(folder: Path, ready: Callable[[], None]) -> End:
    end = SleepingTasks(new_server())
    meet_as_server(end, ready)
    return end


def connect(folder: Path) -> End:
    end = SleepingTasks(new_client())
    meet_as_client(end)
    return end
