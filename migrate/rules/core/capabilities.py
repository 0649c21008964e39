"""Ask the device description for what the channel can do."""

from migrate.old_api.generation_1 import CAPABILITY
from migrate.rules._answers import Rule
from migrate.rules._forms import Method, Value

_FILTER = "rep_cap_is_filter_{}_supported"

RULES: dict[str, Rule] = {
    CAPABILITY + "max_service_name_len": Value(
        "min((info.cap_get_max_name_len() for info in {comch}.devices()), default=128)"
    ),
    CAPABILITY + "max_message_size": Method("cap_get_max_msg_size"),
    CAPABILITY + "max_send_queue_size": Method("cap_get_max_send_tasks"),
    CAPABILITY + "max_recv_queue_size": Method("cap_get_max_recv_queue_size"),
    CAPABILITY + "service_max_num_connections": Method("max_clients_of_service"),
    **{
        "doca_devinfo_" + _FILTER.format(kind): Method(_FILTER.format(kind), number=True)
        for kind in ("all", "net", "emulated")
    },
}
