"""A fast path on a context whose messages are pulled: news of consumers come by its event, in progress."""

from __future__ import annotations

import pytest

import comch_next as comch
from comch_next import BadConfig, Client, PullPort, State
from tests.control_path.pair import HOST, Side, ignore, server, until
from tests.fast_path.lane import Inbox, Outbox
from tests.processes import SOON_S


def pulled(there: Side, news: list[int] | None) -> Client:
    """A running client with an open port, which has registered for consumers if there is a list for them."""
    here = Client(comch.open_device(HOST), "svc")
    if news is not None:
        here.event_consumer_register(lambda _, number: news.append(number), ignore)
    PullPort(here)
    here.start()
    until(lambda: here.state is State.RUNNING and there.up, there.engine, here.engine)
    return here


def leave(there: Side, here: Client) -> None:
    here.close()
    here.device.close()
    there.context.close()
    there.engine.destroy()
    there.context.device.close()


def test_a_pulled_context_needs_the_consumer_event_too() -> None:
    there = server()
    there.context.start()
    here = pulled(there, None)
    outbox = Outbox(here.connection, here.device)
    with pytest.raises(BadConfig, match="consumer event of its client"):
        outbox.producer.start()
    outbox.close()
    leave(there, here)


def test_a_pulled_context_carries_a_fast_path_beside_its_messages() -> None:
    there, news = server(), list[int]()
    there.context.event_consumer_register(ignore, ignore)
    there.context.start()
    here = pulled(there, news)
    inbox, outbox = Inbox(there.connection, there.context.device), Outbox(here.connection, here.device)
    inbox.consumer.start()
    outbox.producer.start()
    until(lambda: inbox.consumer.state is State.RUNNING and news, there.engine, here.engine)
    assert news == [inbox.consumer.id]
    inbox.post()
    outbox.send(inbox.consumer.id, b"fast")
    there.send(b"pulled")
    until(lambda: inbox.received, there.engine, here.engine)
    assert inbox.received == [(b"fast", None)]
    assert here.receive(timeout=SOON_S).data == b"pulled"
    until(lambda: outbox.sent and there.done, there.engine, here.engine)
    assert (inbox.consumer.stop(), outbox.producer.stop()) == (State.IDLE, State.IDLE)
    inbox.close()
    outbox.close()
    leave(there, here)
