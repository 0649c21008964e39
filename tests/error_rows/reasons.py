"""Why a (function, code) of the tables is not provoked, where it is not."""

from __future__ import annotations

from comch_next.api import functions
from tests.error_rows.world import Key
from tools.status import is_for_dpa

# Functions of the headers at hand that this release does not have.
NOT_BUILT = {
    "doca_pe_set_notification_handle": "a Windows call",
    "doca_pe_set_event_mode": "events are delivered by progress only",
    "doca_ctx_set_datapath_on_gpu": "the data path of another processor",
    "doca_ctx_set_datapath_on_dpa": "the data path of another processor",
    "doca_ctx_set_completion_vector": "part of the interrupt steering of real devices",
    "doca_ctx_cap_get_num_completion_vectors": "part of the interrupt steering of real devices",
    "doca_dev_accelerate_resource_reclaim": "reclaims firmware resources",
    "doca_devinfo_cap_is_accelerate_resource_reclaim_supported": "reclaims firmware resources",
    "doca_devinfo_get_ipv4_addr": "network properties of a real port",
    "doca_devinfo_get_ipv6_addr": "network properties of a real port",
    "doca_devinfo_get_mac_addr": "network properties of a real port",
    "doca_devinfo_get_lid": "network properties of a real port",
    "doca_devinfo_get_active_rate": "network properties of a real port",
    "doca_devinfo_get_vhca_id": "a number of the firmware",
    "doca_devinfo_cap_is_hotplug_manager_supported": "device emulation, another product",
    "doca_devinfo_cap_is_notification_moderation_supported": "a property of real interrupts",
    "doca_devinfo_get_pci_addr": "the spelling before 2.0; the old faces translate it",
    "doca_devinfo_rep_get_pci_addr": "the spelling before 2.0; the old faces translate it",
    "doca_mmap_set_dmabuf_memrange": "memory of graphics cards and other devices",
    "doca_mmap_set_dpa_memrange": "memory of the DPA, another processor",
    "doca_mmap_dev_get_dpa_handle": "for programs on the DPA, another processor",
    **{
        function.name: "message queues and the DPA: every call raises NotSupported"
        for function in functions("comch")
        if is_for_dpa(function)
    },
}

# An earlier release's spelling of the same function: the same rows, provoked under the newer name.
SAME_AS = {
    "doca_comch_server_get_device_repr": "doca_comch_server_get_device_rep",
    "doca_comch_server_event_connection_register": "doca_comch_server_event_connection_status_changed_register",
}

_LOCK_SLIP = "the text of a creation, copied to a destruction"
_COPY_SLIP = "the text of the setters, copied to a getter: it works in every state"
HEADER_SLIPS: dict[Key, str] = {
    ("doca_comch_server_get_max_msg_size", "BAD_STATE"): _COPY_SLIP,
    ("doca_comch_client_get_max_msg_size", "BAD_STATE"): _COPY_SLIP,
    ("doca_comch_server_get_device", "BAD_STATE"): _COPY_SLIP,
    ("doca_comch_client_get_device", "BAD_STATE"): _COPY_SLIP,
    ("doca_comch_server_get_device_rep", "BAD_STATE"): _COPY_SLIP,
    ("doca_comch_consumer_destroy", "INITIALIZATION"): _LOCK_SLIP,
    ("doca_comch_producer_destroy", "INITIALIZATION"): _LOCK_SLIP,
}

_SYSTEM = "a query of the operating system fails; the emulated library asks none"
_CORRUPT = "memory that the program overwrote"
_STORED = "the emulated library has the text ready and allocates nothing"
_SMALL = (
    "hardware resources run out; the emulated library needs a hundred bytes, and an interpreter that cannot give"
    " those cannot make the exception either"
)
_OLD_PEER = "a peer of another protocol version; here it is refused when it connects, so it has no connection"
HARDWARE_ONLY: dict[Key, str] = {
    ("doca_ctx_start", "UNEXPECTED"): _CORRUPT,
    ("doca_ctx_stop", "UNEXPECTED"): _CORRUPT,
    ("doca_devinfo_destroy_list", "IN_USE"): _CORRUPT,
    ("doca_devinfo_rep_destroy_list", "IN_USE"): _CORRUPT,
    ("doca_dev_open", "NOT_SUPPORTED"): "a devinfo of the RDMA bridge",
    ("doca_devinfo_get_pci_addr_str", "OPERATING_SYSTEM"): _SYSTEM,
    ("doca_devinfo_is_equal_pci_addr", "OPERATING_SYSTEM"): _SYSTEM,
    ("doca_devinfo_get_iface_name", "OPERATING_SYSTEM"): _SYSTEM,
    ("doca_devinfo_rep_get_iface_name", "OPERATING_SYSTEM"): _SYSTEM,
    ("doca_devinfo_rep_get_pci_addr_str", "NO_MEMORY"): _STORED,
    ("doca_devinfo_rep_get_pci_addr_str", "UNEXPECTED"): _CORRUPT,
    ("doca_devinfo_rep_is_equal_pci_addr", "NO_MEMORY"): _STORED,
    ("doca_devinfo_rep_is_equal_pci_addr", "UNEXPECTED"): _CORRUPT,
    ("doca_comch_server_disconnect", "AGAIN"): (
        "the send queue of real hardware is full; the emulated notice has a socket to itself, with room for it"
    ),
    ("doca_comch_consumer_create", "NOT_PERMITTED"): _OLD_PEER,
    ("doca_comch_producer_create", "NOT_PERMITTED"): _OLD_PEER,
    ("doca_pe_connect_ctx", "NO_MEMORY"): _SMALL,
    ("doca_dev_open", "NO_MEMORY"): _SMALL,
    ("doca_dev_rep_open", "NO_MEMORY"): _SMALL,
    ("doca_mmap_create", "NO_MEMORY"): _SMALL,
    ("doca_buf_inventory_create", "NO_MEMORY"): _SMALL,
    ("doca_mmap_start", "NO_MEMORY"): (
        "the device has no room to register more; the emulated library takes the memory with the range, before start"
    ),
    ("doca_mmap_add_dev", "NOT_SUPPORTED"): "a device of the RDMA bridge",
    ("doca_mmap_export_rdma", "NO_MEMORY"): "the emulated devices have no network, which is told first",
}

_OUT = "only the C face has it: Python returns what C writes through the pointer"
_LIST = "only the C face has it: Python frees its lists by itself"
C_ONLY: dict[Key, str] = {
    ("doca_pe_create", "INVALID_VALUE"): _OUT,
    ("doca_mmap_create", "INVALID_VALUE"): _OUT,
    ("doca_devinfo_create_list", "INVALID_VALUE"): _OUT,
    ("doca_devinfo_destroy_list", "INVALID_VALUE"): _LIST,
    ("doca_devinfo_rep_destroy_list", "INVALID_VALUE"): _LIST,
}
