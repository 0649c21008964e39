"""Faults of message queues, and of the DPA that they lead to."""

from __future__ import annotations

from typing import Any

from comch_next.driver.emulated._dpa.completions import DpaCompletion, _Completions
from comch_next.driver.emulated._dpa.instance import Dpa
from comch_next.driver.emulated._msgq import MsgQ
from comch_next.driver.emulated._producer import Producer
from tests.conformance.faults import Fault, fail_later, nothing

__all__ = ["FAULTS", "SILENCES"]

keep = _Completions.keep


def nobody_sent(completions: _Completions, _: int, data: Any) -> Any:
    return keep(completions, 0, data)


FAULTS: list[Fault] = [
    (_Completions, "keep", nobody_sent, "msgq_carries_messages_both_ways"),
    (Producer, "refused", fail_later, "msgq_nothing_posted"),
    (Dpa, "check_unused", nothing, "msgq_order_of_ends"),
]

SILENCES: list[Fault] = [
    (DpaCompletion, "add", nothing, "msgq_carries_messages_both_ways"),
    (MsgQ, "dpa_failed", nothing, "msgq_refused_device_call_is_fatal"),
    (Dpa, "fail", nothing, "msgq_refused_device_call_is_fatal"),
]
