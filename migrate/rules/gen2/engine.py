"""Move contexts with a progress engine that runs one callback for each progress."""

from dataclasses import dataclass

from migrate.rules._answers import Rule
from migrate.rules._forms import Function, Method, Property
from migrate.rules._site import Site


@dataclass(frozen=True)
class _Moved(Method):
    """Whether anything moved; nothing does without an engine."""

    def _missing(self, site: Site) -> str:
        return "0"


RULES: dict[str, Rule] = {
    "doca_pe_create": Function("ProgressEngine", options="max_events=1"),
    "doca_pe_destroy": Method("destroy"),
    "doca_pe_progress": _Moved("progress", number=True),
    "doca_pe_connect_ctx": Method("connect_ctx", {"ctx": "context"}),
    "doca_pe_get_notification_handle": Property("notification_handle"),
    "doca_pe_request_notification": Method("request_notification"),
    "doca_pe_clear_notification": Method("clear_notification", {"handle": "handle"}),
    "doca_pe_get_num_inflight_tasks": Property("num_inflight_tasks"),
}
