"""Set and read the options of an endpoint on the context itself."""

from migrate.old_api.generation_1 import EP
from migrate.rules._answers import Rule
from migrate.rules._forms import Option, Property

_OPTIONS = ("device", "device_rep", "max_msg_size", "send_queue_size", "recv_queue_size")

RULES: dict[str, Rule] = {
    **{f"{EP}set_{option}": Option(option, option) for option in _OPTIONS},
    **{f"{EP}get_{option}": Property(option) for option in _OPTIONS},
}
