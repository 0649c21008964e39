"""Keep levels, backends and sources of messages with comch_next.log."""

from migrate.rules._answers import Rule
from migrate.rules._forms import Function, Method, Nothing, Value

_BACKEND = {"fptr": "target", "fd": "target", "name": "target"}
_STANDARD = "log.standard."

RULES: dict[str, Rule] = {
    "doca_log_backend_create_standard": Nothing(),
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
