"""Keep levels, backends and sources of messages with comch_next.log."""

import ast

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Change, Rule
from migrate.rules._forms import Function, Method, Nothing, Value


class _SetUp(Nothing):
    """A call without a counterpart, which the report notes at the first one of each file."""

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call."""
        answer = super().__call__(call, facts)
        is_noted = isinstance(answer, Change) and not answer.code and _is_first(call, facts)
        return answer._replace(code="CCM075") if is_noted else answer


def _is_first(call: Call, facts: Facts) -> bool:
    """Whether no other call of the function stands above it in its file."""
    nodes = [node for node in facts.sites(call.function) if isinstance(node, ast.Call)]
    if call.node not in nodes:
        return False
    *_, file = facts.above(call.node)
    here = [node for node in nodes if file in facts.above(node)]
    return call.node is min(here, key=lambda node: (node.lineno, node.col_offset))


_BACKEND = {"fptr": "target", "fd": "target", "name": "target"}
_STANDARD = "log.standard."

RULES: dict[str, Rule] = {
    "doca_log_backend_create_standard": _SetUp(),
    **{
        f"doca_log_backend_create_with_{what}": Function("log.Backend", _BACKEND)
        for what in ("file", "file_sdk", "fd", "syslog")
    },
    "doca_log_backend_set_level_lower_limit": Method("set_level_lower_limit", {"level": "level"}),
    "doca_log_backend_set_level_upper_limit": Method("set_level_upper_limit", {"upper_limit": "level"}),
    "doca_log_backend_set_sdk_level": Method("set_sdk_level", {"level": "level"}),
    "doca_log_level_get_global_lower_limit": Value("{comch}.log.standard.lower_limit"),
    "doca_log_level_set_global_lower_limit": Function(_STANDARD + "set_level_lower_limit", {"level": "level"}),
    "doca_log_level_set_global_upper_limit": Function(_STANDARD + "set_level_upper_limit", {"upper_limit": "level"}),
    "doca_log_level_set_global_sdk_limit": Function(_STANDARD + "set_sdk_level", {"level": "level"}),
    "doca_log_register_source": Function("log.register_source", {"source_name": "name"}),
    "doca_log_unregister_source": Function("log.unregister_source", {"source": "source"}),
}
