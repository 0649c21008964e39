"""What send tasks refuse: what is no message, what is too long, what is of others, what is not configured."""

from __future__ import annotations

import pytest

import comch_next as comch
from comch_next import Client, InvalidValue
from tests.control_path.pair import client, connect, ignore, leave, pair, server


@pytest.mark.parametrize("wrong", [None, "text", 3, ["x"], object()])
def test_what_is_no_message_is_refused(wrong: object) -> None:
    there, here = pair()
    with pytest.raises(InvalidValue, match="bytes-like"):
        here.task(wrong)  # type: ignore[arg-type]
    held = [here.task() for _ in range(64)]  # nothing was taken from the pool
    for task in held:
        task.free()
    leave(here, there)


def test_too_long_is_refused_with_its_length() -> None:
    there, here = pair()
    with pytest.raises(InvalidValue, match="4081 bytes is above this connection's 4080") as caught:
        here.task(b"x" * 4081)
    assert caught.value.length == 4081
    leave(here, there)


def test_connections_of_others_and_other_things_are_refused() -> None:
    there, here = pair()
    other_there, other_here = server("other"), client("other")
    connect(other_there, other_here)
    for wrong in (other_here.connection, there.connection, None, 3, "x"):
        with pytest.raises(InvalidValue):
            here.context.task_send_alloc_init(wrong, b"x")
    for wrong in (other_there.connection, here.connection, None):
        with pytest.raises(InvalidValue):
            there.context.task_send_alloc_init(wrong, b"x")
    leave(here, there, other_here, other_there)


NO_NUMBERS = (0, -1, 8193, 1 << 70, "4", True, 2.0)


@pytest.mark.parametrize("number", [*NO_NUMBERS, None])
def test_numbers_of_tasks_out_of_range_are_refused(number: int) -> None:
    here = client()
    with pytest.raises(InvalidValue, match="whole number from 1 to 8192"):
        here.context.task_send_set_conf(ignore, ignore, number)
    leave(here)


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_sizes_of_queues_out_of_range_are_refused(number: int) -> None:
    here = client()
    with pytest.raises(InvalidValue, match="whole number from 1 to 8192"):
        here.context.recv_queue_size = number
    here.context.recv_queue_size = None
    assert here.context.recv_queue_size == 64
    leave(here)


@pytest.mark.parametrize("which", [0, 1])
def test_callbacks_must_be_callable(which: int) -> None:
    here = client()
    for wrong in (None, 3, "name"):
        calls = [ignore, ignore]
        calls[which] = wrong  # type: ignore[call-overload]
        with pytest.raises(InvalidValue, match="takes a callback"):
            here.context.task_send_set_conf(*calls, 4)
        with pytest.raises(InvalidValue, match="takes a callback"):
            here.context.event_msg_recv_register(wrong)
        with pytest.raises(InvalidValue, match="takes a callback"):
            here.context.set_state_changed_cb(wrong)
    leave(here)


def test_start_needs_its_mandatory_configuration() -> None:
    bare = Client(comch.open_device("b1:00.0"), "svc")
    with pytest.raises(comch.BadConfig, match="send task configuration and the receive callback"):
        bare.start()
    bare.task_send_set_conf(ignore, ignore, 1)
    with pytest.raises(comch.BadConfig, match="lacks the receive callback"):
        bare.start()
    bare.close()
    there = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
    there.task_send_set_conf(ignore, ignore, 1)
    there.event_msg_recv_register(ignore)
    with pytest.raises(comch.BadConfig, match="connection callbacks"):
        there.start()
    there.close()
