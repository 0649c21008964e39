"""Send and receive on a channel that waits, unless the flags say not to."""

from __future__ import annotations

from dataclasses import replace

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP
from migrate.old_api.generation_1x import SUFFIX
from migrate.rules._answers import Rule
from migrate.rules._forms import Coded, Method
from migrate.rules._lengths import is_whole
from migrate.rules.gen1x._flags import by_flags

_INPUTS = {"msg": "data", "peer_addr": "connection"}
WHOLE = Method("send_to", _INPUTS)
PART = Method("send_to", {**_INPUTS, "len": "length"})
RECEIVE = Coded("try_receive", {"len": "size"})


def _sendto(call: Call, facts: Facts) -> tuple[Method, Call]:
    if call.problem or not is_whole(call.arguments["msg"], call.arguments["len"], facts):
        return PART, call
    return WHOLE, replace(call, arguments={name: node for name, node in call.arguments.items() if name != "len"})


RULES: dict[str, Rule] = {
    f"{EP}sendto{SUFFIX}": by_flags(_sendto),
    f"{EP}recvfrom{SUFFIX}": by_flags(lambda call, _: (RECEIVE, call)),
}
