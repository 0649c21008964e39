"""Which call of the driver a C function is: the names are the same but for the prefix."""

from __future__ import annotations

import _ctypes  # as ctypes' own functions may be the launcher's
import os
from typing import Any, NoReturn

from comch_next.capi.binding import Call, Function, Lacking
from comch_next.driver import load
from comch_next.driver.protocol import Driver, by_system
from comch_next.errors import NotSupported

__all__ = ["DRIVER", "driver_call", "is_loaded"]

DRIVER: Driver = load("emulated")  # the native one would come back here

# C prefix, noun of the driver, what its methods have in the prefix's place; the first that has the method counts.
_NOUNS = (
    ("doca_comch_connection_", "connections", ""),
    ("doca_comch_server_", "servers", ""),
    ("doca_comch_server_", "contexts", ""),
    ("doca_comch_server_get_server_ctx", "connections", "get_server"),
    ("doca_comch_client_", "clients", ""),
    ("doca_comch_client_", "contexts", ""),
    ("doca_comch_client_get_client_ctx", "connections", "get_client"),
    ("doca_comch_cap_", "devices", "cap_"),
    ("doca_comch_consumer_task_post_recv_", "post_recv_tasks", ""),
    ("doca_comch_consumer_", "consumers", ""),
    ("doca_comch_consumer_", "contexts", ""),
    ("doca_comch_producer_task_send_", "producer_send_tasks", ""),
    ("doca_comch_producer_", "producers", ""),
    ("doca_comch_producer_", "contexts", ""),
    ("doca_comch_consumer_completion_", "consumer_completions", ""),
    ("doca_comch_msgq_", "msgqs", ""),
    ("doca_dpa_thread_", "dpa_threads", ""),
    ("doca_dpa_completion_", "dpa_completions", ""),
    ("doca_dpa_", "dpas", ""),
    ("doca_pe_", "engines", ""),
    ("doca_ctx_", "contexts", ""),
    ("doca_dev_rep_", "devices", "rep_"),
    ("doca_dev_", "devices", ""),
    ("doca_devinfo_rep_", "devices", "rep_"),
    ("doca_devinfo_", "devices", ""),
    ("doca_mmap_", "mmaps", ""),
    ("doca_buf_inventory_", "buf_inventories", ""),
    ("doca_buf_", "bufs", ""),
)


def is_loaded(library: str) -> bool:
    """Whether this process has loaded a library: a program of generation 2 has loaded libdoca_cc."""
    try:
        _ctypes.dlclose(_ctypes.dlopen(f"{library}.so.2", os.RTLD_LAZY | os.RTLD_NOLOAD))  # finds it by its own name
    except by_system(OSError):
        return False
    return True


def driver_call(row: Function) -> Call:
    """Return the driver's call of that name; one that refuses if it has none."""
    for prefix, noun, method in _NOUNS:
        if row.name.startswith(prefix):
            call = getattr(getattr(DRIVER, noun), method + row.name.removeprefix(prefix), None)
            if call is not None:
                return _asking(row, call) if _asks(row) else call
    return _unsupported(row)


def _asks(row: Function) -> bool:
    return row.name.endswith("is_supported") and not any(param.is_output for param in row.params)


def _asking(row: Function, call: Call) -> Call:
    """A capability without an output: its answer is the code."""

    def ask(*args: Any) -> None:
        if not call(*args):
            raise Lacking(f"{row.name}: this device cannot")

    return ask


def _unsupported(row: Function) -> Call:
    def refuse(*_: object) -> NoReturn:
        raise NotSupported(f"{row.name}: not part of this stand-in")

    return refuse
