"""Consumers that end with their connection: the program hears of them first, then of the connection, then of IDLE."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comch_next import ProgressEngine, State
from tests.control_path.pair import Side, client, connect, ignore, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.fast_path.lane import Inbox


def _disconnect(there: Side) -> None:
    there.context.disconnect(there.connection)


def _stop(there: Side) -> None:
    there.context.stop()


@pytest.mark.parametrize("end", [_disconnect, _stop])
@pytest.mark.parametrize("most", [None, 1, 2])
def test_they_expire_before_their_connection_is_down(most: int | None, end: Callable[[Side], None]) -> None:
    before = collected_fds()
    engine = ProgressEngine(max_events=most)
    there, here = server(engine=engine), client(engine=engine)
    told: list[Any] = []
    news: list[int] = []
    there.context.event_consumer_register(
        lambda _, number: news.append(number),
        lambda connection, number: told.append((connection.user_data, number)),
    )
    here.context.event_consumer_register(ignore, ignore)
    there.context.event_connection_status_changed_register(
        lambda link, ok: there.up.append((link, ok)), lambda link, ok: told.append("down")
    )
    there.context.set_state_changed_cb(lambda _, __, new: told.append(new))
    connect(there, here)
    there.connection.user_data = "known"
    inboxes = [Inbox(here.connection, here.context.device, engine=engine) for _ in range(2)]
    for inbox in inboxes:
        inbox.consumer.start()
    until(lambda: len(news) == 2, engine)
    told.clear()
    end(there)
    assert "down" not in told
    until(lambda: "down" in told and all(inbox.consumer.state is State.IDLE for inbox in inboxes), engine)
    if there.state is State.RUNNING:
        there.context.stop()
    until(lambda: there.state is State.IDLE, engine)
    there.context.destroy()
    engine.progress()
    states = [entry for entry in told if isinstance(entry, State)]
    assert [entry for entry in told if entry not in states] == [("known", number) for number in news] + ["down"]
    assert told.index(State.IDLE) == len(told) - 1
    assert states[-1:] == [State.IDLE]
    for inbox in inboxes:
        inbox.close()
    there.context.device.close()
    until(lambda: here.state is State.IDLE, engine)
    leave(here)
    assert open_fds() == before
