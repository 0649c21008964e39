"""Send without waiting; a flat call says how many bytes, unless those are all."""

from __future__ import annotations

import ast
from dataclasses import replace

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP
from migrate.rules._answers import Answer, Rule
from migrate.rules._flags import without_flags
from migrate.rules._forms import Coded, Method

_INPUTS = {"msg": "data", "peer_addr": "connection"}
OBJECTS = Method("send_to", _INPUTS, "timeout=0")
WHOLE = Coded("try_send_to", _INPUTS)
PART = Coded("try_send_to", {**_INPUTS, "len": "length"})


def _is_whole(message: ast.expr, length: ast.expr, facts: Facts) -> bool:
    """Whether a length is certainly the number of the message's bytes."""
    if isinstance(message, ast.Constant) and isinstance(message.value, bytes) and isinstance(length, ast.Constant):
        return length.value == len(message.value)
    if not isinstance(length, ast.Call) or not isinstance(length.func, ast.Name) or len(length.args) != 1:
        return False
    same = ast.dump(length.args[0]) == ast.dump(message) and facts.is_simple(message) and facts.is_bytes(message)
    return same and length.func.id == "len" and not length.keywords and facts.is_builtin(length.func)


def _sendto(call: Call, facts: Facts) -> Answer:
    if call.problem or call.spelling == "objects":
        return OBJECTS(call, facts)
    if not _is_whole(call.arguments["msg"], call.arguments["len"], facts):
        return PART(call, facts)
    arguments = {name: node for name, node in call.arguments.items() if name != "len"}
    return WHOLE(replace(call, arguments=arguments), facts)


RULES: dict[str, Rule] = {EP + "sendto": without_flags(_sendto)}
