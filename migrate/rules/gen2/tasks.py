"""Submit, free and ask tasks themselves; as_task is the task itself."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Rule
from migrate.rules._form import Deferred
from migrate.rules._forms import Attribute, Method, Property, Unreported
from migrate.rules._site import Site
from migrate.rules.gen2._itself import Itself


@dataclass(frozen=True)
class _Code(Property):
    """A property that is the code which a flat call returns."""

    def _coded(self, site: Site, deferred: Deferred) -> str:
        return self.plain(site)

    def of_class(self, site: Site) -> None:
        return None


@dataclass(frozen=True)
class _Freed(Unreported):
    """A free, which is refused where there has been another one."""

    def bare(self, site: Site) -> str:
        again = site.call.receiver is not None and site.facts.may_be_closed(site.call.receiver)
        return super().bare(site) if again else self.plain(site)


# As DOCA 2.6 named the tasks, and as 2.5 did
_SENDS, _PRODUCED = ("task_send", "send_task"), ("producer_task_send", "producer_send_task")
_POSTED = ("consumer_task_post_recv", "consumer_post_recv_task")

RULES: dict[str, Rule] = {
    **{f"{PREFIX}{noun}_as_task": Itself() for noun in (*_SENDS, *_PRODUCED, *_POSTED)},
    **{f"{PREFIX}{noun}_get_buf": Property("buf") for noun in (*_PRODUCED, *_POSTED)},
    **{f"{PREFIX}{noun}_set_buf": Attribute("buf", "buf") for noun in (*_PRODUCED, *_POSTED)},
    **{f"{PREFIX}{noun}_get_consumer_id": Property("consumer_id") for noun in _PRODUCED},
    **{f"{PREFIX}{noun}_set_consumer_id": Attribute("consumer_id", "consumer_id") for noun in _PRODUCED},
    PREFIX + "consumer_task_post_recv_get_producer_id": Property("producer_id"),
    "doca_task_submit": Method("submit"),
    "doca_task_try_submit": Method("try_submit"),
    "doca_task_submit_ex": Method("submit_ex", {"flags": "flags"}),
    "doca_task_free": _Freed("free"),
    "doca_task_get_status": _Code("status"),
    "doca_task_set_user_data": Attribute("user_data", "user_data", is_own=True),
    "doca_task_get_user_data": Property("user_data", is_own=True),
    "doca_task_get_ctx": Property("context", is_own=True),
}
