"""Send without waiting; a flat call passes the number of bytes, unless it sends all of them."""

from __future__ import annotations

from dataclasses import replace

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP
from migrate.rules._answers import Answer, Rule
from migrate.rules._flags import without_flags
from migrate.rules._forms import Coded, Method
from migrate.rules._lengths import is_whole

_INPUTS = {"msg": "data", "peer_addr": "connection"}
OBJECTS = Method("send_to", _INPUTS, "timeout=0")
WHOLE = Coded("try_send_to", _INPUTS)
PART = Coded("try_send_to", {**_INPUTS, "len": "length"})


def _sendto(call: Call, facts: Facts) -> Answer:
    if call.problem or call.spelling == "objects":
        return OBJECTS(call, facts)
    if not is_whole(call.arguments["msg"], call.arguments["len"], facts):
        return PART(call, facts)
    arguments = {name: node for name, node in call.arguments.items() if name != "len"}
    return WHOLE(replace(call, arguments=arguments), facts)


RULES: dict[str, Rule] = {EP + "sendto": without_flags(_sendto)}
