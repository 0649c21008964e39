"""Make, start, stop and destroy contexts; as_ctx is the context itself."""

from __future__ import annotations

from collections.abc import Hashable

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
_IN_PROGRESS = "IN_PROGRESS"  # of a stop that is not refused
_TOLD_APART = frozenset({"NOT_CONNECTED", "BAD_STATE"})  # of a stop without an engine: in C, and in comch_next


def _early(call: Call, facts: Facts) -> frozenset[Hashable]:
    """The origins of contexts that no engine can be connected to yet; the place may have other handles, too."""
    origins = facts.handles(call.receiver) if call.receiver is not None else frozenset()
    contexts = (origin for origin in origins if call.function in facts.calls_on(origin))
    return frozenset(origin for origin in contexts if not facts.may_come_after(call.node, _CONNECT, origin))


def _moved(name: str, call: Call, options: str = "") -> Method:
    """A start or stop, which returns the state now, and for which C has a code."""
    return Coded(f"try_{name}", options=options) if call.returns_code else Method(name, options=options)


def _start(call: Call, facts: Facts) -> Answer:
    """A start, with a code where no engine can be connected yet: the old one failed, the new one gets its own."""
    answer = _moved("start", call)(call, facts)
    if isinstance(answer, Refusal) or not _early(call, facts):
        return answer
    return answer._replace(code=answer.code or _NO_ENGINE)


def _stop(call: Call, facts: Facts) -> Answer:
    """A stop, strict where it may be seen how it fails without an engine."""
    observed, early = facts.code_is_observed(call), _early(call, facts)
    is_early = any(observed - {_IN_PROGRESS} or _CONNECT in facts.calls_on(origin) for origin in early)
    is_strict = is_early or not observed.isdisjoint(_TOLD_APART)
    return _moved("stop", call, "strict=True" if is_strict else "")(call, facts)


RULES: dict[str, Rule] = {
    PREFIX + "server_create": Created("Server", {"dev": "device", "repr": "device_rep", "name": "name"}),
    PREFIX + "client_create": Created("Client", {"dev": "device", "name": "name"}),
    **{f"{PREFIX}{noun}_destroy": Ended("destroy") for noun in _NOUNS},
    **{f"{PREFIX}{noun}_as_ctx": Itself() for noun in _NOUNS},
    "doca_ctx_start": _start,
    "doca_ctx_stop": _stop,
    "doca_ctx_get_state": Property("state", number=True),
    "doca_ctx_set_state_changed_cb": registered("set_state_changed_cb", {"cb": "callback"}, STATE, gives=True),
    "doca_ctx_get_num_inflight_tasks": Property("num_inflight_tasks"),
    "doca_ctx_flush_tasks": Unreported("flush_tasks"),
}
