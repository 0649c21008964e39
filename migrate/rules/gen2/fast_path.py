"""Make producers and consumers, and configure and allocate their tasks, in the names of 2.5 or of 2.6."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Rule
from migrate.rules._forms import Function, Method, Property
from migrate.rules._site import Site
from migrate.rules.gen2._callbacks import Registered
from migrate.rules.gen2._counts import LOG, Counted
from migrate.rules.gen2.send import CALLBACKS


@dataclass(frozen=True)
class _Send(Method):
    """A send without immediate data, which generation 2 had not."""

    def arguments(self, site: Site) -> str:
        text = super().arguments(site)
        return f"{text}, imm_data=None" if "=" in text else "{buf}, None, {consumer_id}"


_SENDS, _POSTS = ("task_send", "send_task"), ("task_post_recv", "post_recv_task")
_SEND = _Send("task_send_alloc_init", {"buf": "buf", "consumer_id": "consumer_id"})
_POST = Method("task_post_recv_alloc_init", {"buf": "buf"})


def _configured(noun: str, names: tuple[str, str], number: str) -> dict[str, Rule]:
    """Return the rules for the configuration of tasks: as 2.6 has it, and as 2.5 had it."""
    newer, older = (f"{PREFIX}{noun}_{name}_set_conf" for name in names)
    call = f"{names[0]}_set_conf"
    return {
        newer: Registered(call, {**CALLBACKS, number: "num_tasks"}, callbacks=CALLBACKS),
        older: Counted(call, {**CALLBACKS, LOG: "num_tasks"}, callbacks=CALLBACKS),
    }


RULES: dict[str, Rule] = {
    PREFIX + "producer_create": Function("Producer", {"cc_connection": "connection"}),
    PREFIX + "consumer_create": Function("Consumer", {"cc_connection": "connection", "buf_mmap": "mmap"}),
    PREFIX + "producer_get_id": Property("id"),
    PREFIX + "consumer_get_id": Property("id"),
    **_configured("producer", _SENDS, "num_send_tasks"),
    **_configured("consumer", _POSTS, "num_post_recv_tasks"),
    **{f"{PREFIX}producer_{name}_alloc_init": _SEND for name in _SENDS},
    **{f"{PREFIX}consumer_{name}_alloc_init": _POST for name in _POSTS},
}
