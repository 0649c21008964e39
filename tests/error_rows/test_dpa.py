"""Nothing of message queues answers NOT_SUPPORTED on the emulated driver; tests/dpa is about what they do."""

from __future__ import annotations

from typing import Any

import pytest

from comch_next import ConsumerCompletion, ErrorCode, MsgQ, outcome
from comch_next.api import Function, functions
from tests.error_rows.world import World
from tools.status import spelling

PARTS = ("_msgq_", "_completion", "_dpa_", "_set_dev_")
CALLS = [function for function in functions("comch") if any(part in function.name for part in PARTS)]


def target(world: World, name: str) -> Any:
    """An object of the class."""
    if name == "Consumer":
        return world.inbox.consumer
    if name == "Producer":
        return world.outbox.producer
    return MsgQ(world.dpu) if name == "MsgQ" else ConsumerCompletion()


def attempt(world: World, function: Function) -> None:
    """The call, with a number for whatever it takes."""
    name, _, attribute = spelling(function).partition(".")
    made = target(world, name)
    if attribute and not isinstance(getattr(type(made), attribute), property):
        getattr(made, attribute)(*(1 for _ in function.inputs[1:]))
    elif "_set_" in function.name:
        setattr(made, attribute, 1)
    elif attribute:
        getattr(made, attribute)


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.name)
def test_each_call_is_implemented(world: World, function: Function) -> None:
    code, _ = outcome(attempt, world, function)
    assert code is not ErrorCode.NOT_SUPPORTED


def test_every_function_of_message_queues_is_among_them() -> None:
    queues = {function.name for function in functions("comch") if function.header == "doca_comch_msgq.h"}
    assert len(queues) == 10
    assert queues <= {function.name for function in CALLS}
