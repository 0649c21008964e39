"""Ask the device description for what the channel can do."""

from migrate._legacy import CAPABILITY
from migrate._rule import Calls, Rule

RULES: dict[str, Rule] = {
    # Every device gives the same answer; the old call asked none.
    CAPABILITY + "max_service_name_len": Calls("{comch}.devices()[0].cap_get_max_name_len"),
    CAPABILITY + "max_message_size": Calls("{devinfo}.cap_get_max_msg_size"),
    CAPABILITY + "max_send_queue_size": Calls("{devinfo}.cap_get_max_send_tasks"),
    CAPABILITY + "max_recv_queue_size": Calls("{devinfo}.cap_get_max_recv_queue_size"),
    CAPABILITY + "service_max_num_connections": Calls("{devinfo}.cap_get_max_clients"),
    "doca_devinfo_rep_cap_is_filter_all_supported": Calls("{devinfo}.rep_cap_is_filter_all_supported"),
    "doca_devinfo_rep_cap_is_filter_net_supported": Calls("{devinfo}.rep_cap_is_filter_net_supported"),
    "doca_devinfo_rep_cap_is_filter_emulated_supported": Calls("{devinfo}.rep_cap_is_filter_emulated_supported"),
}
