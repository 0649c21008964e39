"""Move contexts with a progress engine that runs one callback for each progress."""

from dataclasses import dataclass

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Change, Rule
from migrate.rules._ended import Ended
from migrate.rules._forms import Function, Method, Property
from migrate.rules._site import Site

_NESTED = "CCM113"


@dataclass(frozen=True)
class _Moved(Method):
    """Whether anything moved; nothing does without an engine, nor, for a flat call, inside a callback."""

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call, with a code inside a callback, where the new one raises."""
        answer = super().__call__(call, facts)
        nested = call.spelling == "flat" and facts.is_called_back(call.node)
        return answer._replace(code=answer.code or _NESTED) if nested and isinstance(answer, Change) else answer

    def _missing(self, site: Site) -> str:
        return "0"


RULES: dict[str, Rule] = {
    "doca_pe_create": Function("ProgressEngine", options="max_events=1"),
    "doca_pe_destroy": Ended("destroy"),
    "doca_pe_progress": _Moved("progress", number=True),
    "doca_pe_connect_ctx": Method("connect_ctx", {"ctx": "context"}),
    "doca_pe_get_notification_handle": Property("notification_handle"),
    "doca_pe_request_notification": Method("request_notification"),
    "doca_pe_clear_notification": Method("clear_notification", {"handle": "handle"}),
    "doca_pe_get_num_inflight_tasks": Property("num_inflight_tasks"),
}
