"""A consumer that stops wakes the engine that sleeps: its posted receives, and those submitted late, have failed."""

from __future__ import annotations

import comch_next as comch
from comch_next import State
from tests.control_path.pair import sleep
from tests.fast_path.lane import Inbox, Lane
from tests.processes import SOON_S
from tests.pull.support import ready


def test_receives_that_are_posted(lane: Lane) -> None:
    inbox = Inbox(lane.there.connection, lane.there.context.device, engine=comch.ProgressEngine())
    engine = inbox.consumer.engine
    inbox.consumer.start()
    lane.until(lambda: engine.progress() or inbox.consumer.state is State.RUNNING)
    inbox.post(2)
    inbox.consumer.stop()
    lane.settle()
    assert inbox.consumer.state is State.STOPPING
    assert engine.wait(SOON_S)
    while engine.progress():
        pass
    assert (inbox.consumer.state, inbox.failed) == (State.IDLE, ["NOT_CONNECTED"] * 2)
    inbox.close()
    engine.destroy()


def test_a_receive_that_comes_late(lane: Lane) -> None:
    inbox = lane.run().inbox
    held = inbox.consumer.task_post_recv_alloc_init()
    inbox.consumer.stop()
    lane.settle()
    engine = inbox.consumer.engine
    sleep(engine)
    held.submit()
    assert ready(engine.notification_handle, SOON_S)
    engine.clear_notification()
    lane.until(lambda: inbox.consumer.state is State.IDLE)
    assert inbox.failed == ["NOT_CONNECTED"]
