"""Make, start, stop and destroy contexts; as_ctx is the context itself."""

from __future__ import annotations

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Answer, Change, Rule
from migrate.rules._ended import Ended
from migrate.rules._forms import Coded, Method, Property
from migrate.rules.gen2._callbacks import STATE, registered
from migrate.rules.gen2._created import Created
from migrate.rules.gen2._itself import Itself

_NOUNS = ("server", "client", "producer", "consumer")


_NO_ENGINE = "CCM112"


def _start(call: Call, facts: Facts) -> Answer:
    """A start, with a code where no engine is connected to the context: the new one has its own then."""
    answer = _returning("start")(call, facts)
    origins = facts.handles(call.receiver) if call.receiver is not None else frozenset()
    connected = all("doca_pe_connect_ctx" in facts.calls_on(origin) for origin in origins)
    if connected or not isinstance(answer, Change):
        return answer
    return answer._replace(code=answer.code or _NO_ENGINE)


def _returning(name: str) -> Rule:
    """A call that returns the state now; C has a code for it."""
    objects, flat = Method(name), Coded(f"try_{name}")

    def rule(call: Call, facts: Facts) -> Answer:
        return flat(call, facts) if call.returns_code else objects(call, facts)

    return rule


RULES: dict[str, Rule] = {
    PREFIX + "server_create": Created("Server", {"dev": "device", "repr": "device_rep", "name": "name"}),
    PREFIX + "client_create": Created("Client", {"dev": "device", "name": "name"}),
    **{f"{PREFIX}{noun}_destroy": Ended("destroy") for noun in _NOUNS},
    **{f"{PREFIX}{noun}_as_ctx": Itself() for noun in _NOUNS},
    "doca_ctx_start": _start,
    "doca_ctx_stop": _returning("stop"),
    "doca_ctx_get_state": Property("state", number=True),
    "doca_ctx_set_state_changed_cb": registered("set_state_changed_cb", {"cb": "callback"}, STATE, gives=True),
    "doca_ctx_get_num_inflight_tasks": Property("num_inflight_tasks"),
    "doca_ctx_flush_tasks": Method("flush_tasks"),
}
