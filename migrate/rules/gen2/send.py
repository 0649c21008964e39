"""Configure and allocate the send tasks of servers and clients, in the names of 2.5 or of 2.6."""

from __future__ import annotations

from dataclasses import dataclass, replace

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Rule
from migrate.rules._form import Deferred, late
from migrate.rules._forms import Method
from migrate.rules._lengths import is_whole
from migrate.rules._site import Site
from migrate.rules.gen2._callbacks import Registered
from migrate.rules.gen2._counts import LOG, Counted
from migrate.rules.gen2._sides import for_both

CALLBACKS = {"task_completion_cb": "done", "task_error_cb": "failed"}


@dataclass(frozen=True)
class _Part(Method):
    """The first bytes of a message."""

    def arguments(self, site: Site) -> str:
        made = {"msg": "{comch}.arguments.cut({msg}, {len})"}
        return site.arguments({name: new for name, new in self.inputs.items() if name != "len"}, made=made)

    def deferred(self, site: Site) -> Deferred:
        return late(site, self.plain(site))

    def of_class(self, site: Site) -> None:
        return None


_INPUTS = {"peer": "connection", "msg": "msg"}
_WHOLE = Method("task_send_alloc_init", _INPUTS)
_PART = _Part("task_send_alloc_init", {**_INPUTS, "len": ""})


def _alloc(call: Call, facts: Facts) -> Answer:
    length, message = call.arguments.get("len"), call.arguments.get("msg")
    if call.problem or length is None or message is None:
        return _WHOLE(call, facts)
    if not is_whole(message, length, facts):
        return _PART(call, facts)
    arguments = {name: node for name, node in call.arguments.items() if name != "len"}
    return _WHOLE(replace(call, arguments=arguments), facts)


_CONF = "task_send_set_conf"
RULES: dict[str, Rule] = for_both(
    {
        _CONF: Registered(_CONF, {**CALLBACKS, "num_send_tasks": "num_tasks"}, callbacks=CALLBACKS),
        "send_task_set_conf": Counted(_CONF, {**CALLBACKS, LOG: "num_tasks"}, callbacks=CALLBACKS),
        "task_send_alloc_init": _alloc,
        "send_task_alloc_init": _alloc,
    }
)
