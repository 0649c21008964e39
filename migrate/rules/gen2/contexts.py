"""Make, start, stop and destroy contexts; as_ctx is the context itself."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Answer, Refusal, Rule
from migrate.rules._ended import Ended
from migrate.rules._forms import Coded, Method, Property, Unreported
from migrate.rules.gen2._callbacks import STATE, registered
from migrate.rules.gen2._created import Created
from migrate.rules.gen2._itself import Itself

_NOUNS = ("server", "client", "producer", "consumer")


_CONNECT, _NO_ENGINE = "doca_pe_connect_ctx", "CCM112"


@dataclass(frozen=True)
class _Moved:
    """A start or stop, which returns the state now, and for which C has a code.

    With a code where no engine can be connected to the context yet: the old one failed, the new one gets its own.
    is_first: also where the program connects none at all; what is only stopped here is started and connected elsewhere.
    """

    name: str
    is_first: bool = False

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call."""
        form = Coded(f"try_{self.name}") if call.returns_code else Method(self.name)
        answer = form(call, facts)
        origins = facts.handles(call.receiver) if call.receiver is not None else frozenset()
        early = (origin for origin in origins if not facts.may_come_after(call.node, _CONNECT, origin))
        if isinstance(answer, Refusal) or not any(self.is_first or _CONNECT in facts.calls_on(each) for each in early):
            return answer
        return answer._replace(code=answer.code or _NO_ENGINE)


RULES: dict[str, Rule] = {
    PREFIX + "server_create": Created("Server", {"dev": "device", "repr": "device_rep", "name": "name"}),
    PREFIX + "client_create": Created("Client", {"dev": "device", "name": "name"}),
    **{f"{PREFIX}{noun}_destroy": Ended("destroy") for noun in _NOUNS},
    **{f"{PREFIX}{noun}_as_ctx": Itself() for noun in _NOUNS},
    "doca_ctx_start": _Moved("start", is_first=True),
    "doca_ctx_stop": _Moved("stop"),
    "doca_ctx_get_state": Property("state", number=True),
    "doca_ctx_set_state_changed_cb": registered("set_state_changed_cb", {"cb": "callback"}, STATE, gives=True),
    "doca_ctx_get_num_inflight_tasks": Property("num_inflight_tasks"),
    "doca_ctx_flush_tasks": Unreported("flush_tasks"),
}
