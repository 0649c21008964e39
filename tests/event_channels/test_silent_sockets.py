"""Whoever sleeps and wakes by turns has the kernel ask the sockets: they are polled in between only now and then."""

from __future__ import annotations

import select

from comch_next import State
from tests.compat import support
from tests.control_path.pair import leave, pair, until
from tests.frames import fewest, frames
from tests.inside import inside

SOCKETS = "poll_sockets"


def test_arming_a_channel_that_is_armed_does_not_poll_silent_sockets() -> None:
    old = support.Pair()
    old.introduce()
    for endpoint in (old.service, old.client):
        assert SOCKETS in frames(endpoint.event_handle_arm_recv)  # nobody has waited for them yet
        assert SOCKETS not in fewest(endpoint.event_handle_arm_recv)
    old.destroy()


def test_what_waits_in_a_socket_makes_an_armed_channel_ready_at_once() -> None:
    old = support.Pair()
    old.introduce()
    fewest(old.service.event_handle_arm_recv)
    other = support.client()
    peer = other.connect(support.NAME)
    old.service.event_handle_arm_recv()
    poller = select.epoll()
    poller.register(old.service.get_event_channel()[1], select.EPOLLIN)
    assert poller.poll(10)
    support.let_in(old.service, peer)
    support.eventually(other.sendto, b"late", peer)
    assert support.eventually(old.service.recvfrom, 10)[0] == b"late"
    poller.close()
    old.destroy()


def test_progress_after_a_notification_does_not_poll_silent_sockets() -> None:
    there, here = pair()

    def turn() -> None:
        here.engine.request_notification()
        here.engine.clear_notification()
        here.engine.progress()

    assert SOCKETS not in fewest(turn)
    leave(here, there)


def test_an_arming_between_messages_runs_no_python_code_but_its_own() -> None:
    old = support.Pair()
    peer = old.introduce()
    ends = ((old.service, peer), (old.client, old.to_service))
    for endpoint, to in ends:
        for _ in range(2):
            endpoint.event_handle_arm_recv()
        assert fewest(endpoint.event_handle_arm_recv) == ["event_handle_arm_recv"]
        endpoint.sendto(b"x", to)
        assert fewest(endpoint.event_handle_arm_recv) == ["event_handle_arm_recv"]
    old.destroy()


def test_a_farewell_matters_to_a_client_whose_message_is_in_flight() -> None:
    """So an arming looks for what is in flight, and one more, when nothing is, takes that back."""
    old = support.Pair(recv_queue_size=8)
    old.introduce()
    for _ in range(2):
        old.client.event_handle_arm_recv()
    for _ in range(9):
        old.client.sendto(b"x", old.to_service)
    assert "attend" in fewest(old.client.event_handle_arm_recv)
    for _ in range(9):
        support.eventually(old.service.recvfrom, 10)
    assert "attend" in frames(old.client.event_handle_arm_recv)
    assert fewest(old.client.event_handle_arm_recv) == ["event_handle_arm_recv"]
    old.destroy()


def test_a_sleep_of_an_engine_that_has_nothing_to_do_runs_no_python_code() -> None:
    there, here = pair()

    def turn() -> None:
        here.engine.request_notification()
        here.engine.clear_notification()
        here.engine.progress()

    assert fewest(turn) == []
    leave(here, there)


def test_who_polls_the_sockets_is_not_woken_by_them() -> None:
    """A program that goes on without sleeping: what has been disarmed stays silent, whoever comes or goes."""
    there, here = pair()
    with select.epoll() as poller:
        poller.register(here.engine.notification_handle, select.EPOLLIN)
        here.engine.request_notification()
        here.engine.clear_notification()
        inside(here.engine).poller.hurry()
        here.engine.progress()
        there.context.stop()
        assert not poller.poll(0)
        here.engine.request_notification()
        assert poller.poll(10)
        for _ in range(2):
            here.engine.clear_notification()
            assert not poller.poll(0)
    until(lambda: here.state is not State.RUNNING, here.engine)
    leave(here, there)


def test_a_loss_is_reported_after_its_notification() -> None:
    """A socket that is ready is polled by the next progress, however soon that comes."""
    there, here = pair()
    here.engine.request_notification()
    there.context.stop()
    poller = select.epoll()
    poller.register(here.engine.notification_handle, select.EPOLLIN)
    assert poller.poll(10)
    here.engine.clear_notification()
    here.engine.progress()
    assert here.state is not State.RUNNING
    poller.close()
    leave(here, there)
