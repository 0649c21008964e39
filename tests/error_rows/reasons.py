"""Why a (function, code) of the tables is not provoked, where it is not."""

from __future__ import annotations

from comch_next.api import Function, functions
from tests.error_rows.world import Key
from tools.status import reason

_EARLIER = "the spelling before 2.0; the old faces translate it"


def _not_built(function: Function) -> str | None:
    """Why this release does not have a function; tools/status.toml has the reasons."""
    why = reason(function.name)
    return None if why is None or why.startswith("C only") else why


# Functions that this release does not have.
NOT_BUILT = {
    function.name: why
    for generation in ("core", "comch")
    for function in functions(generation)
    if (why := _not_built(function)) is not None
} | {"doca_devinfo_get_pci_addr": _EARLIER, "doca_devinfo_rep_get_pci_addr": _EARLIER}

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

# Rows that only C can spell, each with the test that provokes them by real C calls.
BY_C_CALLS = "tests/faces/test_bad_pointers.py::test_a_bad_pointer_is_refused[null]"
_KERNELS = "tests/faces/test_kernels.py::test_a_kernel_in_c[copies]"
_ENGINE = "tests/faces/test_bad_pointers.py::test_a_context_without_an_engine_is_not_connected"
_NULL_ONLY = (
    *("pe_destroy", "pe_get_notification_handle", "pe_get_num_inflight_tasks", "pe_set_event_mode"),
    *("ctx_start", "ctx_stop", "ctx_get_num_inflight_tasks", "ctx_set_user_data", "ctx_get_user_data", "ctx_get_state"),
    *("dev_open", "dev_rep_open", "dev_rep_close"),
    *("devinfo_get_pci_addr_str", "devinfo_get_iface_name", "devinfo_get_ibdev_name"),
    *(f"devinfo_rep_cap_is_filter_{kind}_supported" for kind in ("all", "net", "emulated")),
    *(f"devinfo_rep_get_{what}" for what in ("vuid", "pci_addr_str", "pci_func_type", "is_hotplug", "iface_name")),
    "devinfo_rep_get_vhca_id",
    *(f"mmap_{call}" for call in ("destroy", "stop", "get_memrange", "set_user_data", "enable_thread_safety")),
    *(f"mmap_get_{what}" for what in ("user_data", "max_num_devices", "num_bufs", "exported", "from_export")),
    *("mmap_cap_is_export_pci_supported", "mmap_cap_is_create_from_export_pci_supported"),
    *(f"buf_inventory_{call}" for call in ("destroy", "start", "stop", "set_user_data")),
    *(f"buf_inventory_get_{what}" for what in ("num_elements", "num_free_elements", "user_data")),
    *("buf_get_last_in_list", "buf_get_list_len"),
    *(f"comch_{kind}_destroy" for kind in ("server", "client", "consumer", "producer")),
    *(f"comch_{kind}_get_{what}" for kind in ("server", "client") for what in ("max_msg_size", "recv_queue_size")),
    *("comch_server_get_device", "comch_server_get_device_rep", "comch_client_get_device"),
    *("comch_client_get_connection", "comch_connection_update_info"),
    *(f"comch_cap_get_max_{what}" for what in ("name_len", "msg_size", "recv_queue_size", "clients", "send_tasks")),
    *("comch_cap_server_is_supported", "comch_cap_client_is_supported"),
    *("comch_consumer_get_id", "comch_producer_get_id", "comch_consumer_get_imm_data_len"),
    *("comch_consumer_cap_get_max_consumers", "comch_consumer_cap_get_max_imm_data_len"),
    "comch_producer_cap_get_max_producers",
    *(
        f"comch_{kind}_cap_{call}"
        for kind in ("consumer", "producer")
        for call in ("is_supported", "get_max_num_tasks", "get_max_buf_size", "get_max_buf_list_len")
    ),
)
_WRITTEN = ("pe_create", "mmap_create", "devinfo_create_list", "devinfo_destroy_list", "devinfo_rep_destroy_list")
C_ONLY: dict[Key, str] = {
    **{(f"doca_{name}", "INVALID_VALUE"): BY_C_CALLS for name in (*_NULL_ONLY, *_WRITTEN)},
    ("doca_mmap_set_dpa_memrange", "INVALID_VALUE"): BY_C_CALLS,
    **{("doca_mmap_set_dpa_memrange", code): _KERNELS for code in ("BAD_STATE", "NOT_PERMITTED")},
    ("doca_ctx_start", "NOT_CONNECTED"): _ENGINE,
    ("doca_ctx_stop", "NOT_CONNECTED"): _ENGINE,
}
