"""Ask the device description for what the channel can do; what is not supported fails as it did."""

from migrate.old_api.generation_2 import PREFIX
from migrate.rules._answers import Rule
from migrate.rules._forms import Method, Value

_NUMBERS = (
    *(f"cap_get_max_{what}" for what in ("name_len", "msg_size", "recv_queue_size", "clients", "send_tasks")),
    *(f"{noun}_cap_get_max_{what}" for noun in ("producer", "consumer") for what in ("num_tasks", "buf_size")),
    "producer_cap_get_max_producers",
    "consumer_cap_get_max_consumers",
)
_SUPPORTED = {
    "cap_server_is_supported": "server",
    "cap_client_is_supported": "client",
    "producer_cap_is_supported": "producer",
    "consumer_cap_is_supported": "consumer",
    "cap_is_producer_supported": "producer",
    "cap_is_consumer_supported": "consumer",
}
_OF_MEMORY = ("mmap_cap_is_export_pci_supported", "mmap_cap_is_create_from_export_pci_supported")

RULES: dict[str, Rule] = {
    **{f"doca_{name}": Method(name, number=True) for name in _OF_MEMORY},
    **{PREFIX + name: Method(name) for name in _NUMBERS},
    **{PREFIX + name: Method("require", options=f'"{noun}"') for name, noun in _SUPPORTED.items()},
    **{
        f"{PREFIX}{noun}_cap_get_max_log_num_tasks": Value(
            f"{{devinfo}}.{noun}_cap_get_max_num_tasks().bit_length() - 1", is_open=True
        )
        for noun in ("producer", "consumer")
    },
}
