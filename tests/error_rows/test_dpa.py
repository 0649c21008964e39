"""Message queues, and all else that leads to the DPA, the card's accelerator: each call exists and is refused."""

from __future__ import annotations

from typing import Any

import pytest

from comch_next import ConsumerCompletion, MsgQ, NotSupported
from comch_next.api import Function, functions
from comch_next.driver import load
from tests.error_rows.world import World
from tools.status import is_for_dpa, spelling

CALLS = [function for function in functions("comch") if is_for_dpa(function)]


def target(world: World, name: str) -> Any:
    """An object of the class; where the constructor is refused, one that was never constructed."""
    if name == "Consumer":
        return world.inbox.consumer
    if name == "Producer":
        return world.outbox.producer
    made: Any = {"MsgQ": MsgQ.__new__(MsgQ), "ConsumerCompletion": ConsumerCompletion.__new__(ConsumerCompletion)}[name]
    made._handle = None
    made._msgqs, made._completions = load().msgqs, load().consumer_completions
    return made


def attempt(world: World, function: Function) -> None:
    """The call, with a number for whatever it takes."""
    name, _, attribute = spelling(function).partition(".")
    if not attribute:
        MsgQ(world.dpu) if name == "MsgQ" else ConsumerCompletion()
        return
    made = target(world, name)
    if not isinstance(getattr(type(made), attribute), property):
        getattr(made, attribute)(*(1 for _ in function.inputs[1:]))
    elif "_set_" in function.name:
        setattr(made, attribute, 1)
    else:
        getattr(made, attribute)


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.name)
def test_each_call_is_refused(world: World, function: Function) -> None:
    with pytest.raises(NotSupported, match="the emulated card has no DPA"):
        attempt(world, function)


def test_every_function_of_message_queues_is_among_them() -> None:
    queues = {function.name for function in functions("comch") if function.header == "doca_comch_msgq.h"}
    assert len(queues) == 10
    assert queues <= {function.name for function in CALLS}


def test_a_device_without_message_queues_is_left_as_it_was(world: World) -> None:
    with pytest.raises(NotSupported):
        MsgQ(world.dpu)
    world.outbox.producer.start()
    with pytest.raises(NotSupported):
        world.outbox.producer.get_dpa_handle()
    assert world.outbox.producer.state.name == "RUNNING"
