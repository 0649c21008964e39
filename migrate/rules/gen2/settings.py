"""Set and read the sizes and devices of servers and clients as attributes."""

from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Rule
from migrate.rules._forms import Option, Property
from migrate.rules.gen2._sides import for_both

RULES: dict[str, Rule] = {
    **for_both(
        {
            "set_max_msg_size": Option("max_msg_size", "size"),
            "get_max_msg_size": Property("max_msg_size"),
            "set_recv_queue_size": Option("recv_queue_size", "size"),
            "get_recv_queue_size": Property("recv_queue_size"),
            "get_device": Property("device"),
        }
    ),
    PREFIX + "server_get_device_repr": Property("device_rep"),
}
