"""Receive without waiting; a flat call's four results are those of `try_receive`."""

from __future__ import annotations

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP
from migrate.rules._answers import Answer, Rule
from migrate.rules._flags import without_flags
from migrate.rules._forms import Coded, Method

_INPUTS = {"len": "size"}
OBJECTS = Method("receive", _INPUTS, "timeout=0")
FLAT = Coded("try_receive", _INPUTS)


def _recvfrom(call: Call, facts: Facts) -> Answer:
    return FLAT(call, facts) if call.returns_code else OBJECTS(call, facts)


RULES: dict[str, Rule] = {EP + "recvfrom": without_flags(_recvfrom)}
