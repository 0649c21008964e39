"""What a device can do for the channel (old guide: Device Support).

The calls are the C names without `doca_cc_`. A call that only asks whether something is supported returns None or
raises NotSupported.
"""

from __future__ import annotations

from comch_next import DevInfo as Modern
from comch_next import NotSupported
from comm_channel_compat._devices import DevInfo
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc._arguments import unwrap

__all__ = [
    "cap_client_is_supported",
    "cap_get_max_clients",
    "cap_get_max_msg_size",
    "cap_get_max_name_len",
    "cap_get_max_recv_queue_size",
    "cap_get_max_send_tasks",
    "cap_is_consumer_supported",
    "cap_is_producer_supported",
    "cap_server_is_supported",
    "consumer_cap_get_max_buf_size",
    "consumer_cap_get_max_consumers",
    "consumer_cap_get_max_log_num_tasks",
    "consumer_cap_get_max_num_tasks",
    "consumer_cap_is_supported",
    "mmap_cap_is_create_from_export_pci_supported",
    "mmap_cap_is_export_pci_supported",
    "producer_cap_get_max_buf_size",
    "producer_cap_get_max_log_num_tasks",
    "producer_cap_get_max_num_tasks",
    "producer_cap_get_max_producers",
    "producer_cap_is_supported",
]


@old_call("doca_cc_cap_get_max_name_len")
def cap_get_max_name_len(devinfo: DevInfo) -> int:
    """Return the length of the longest service name in bytes, its NUL included."""
    return _info(devinfo).cap_get_max_name_len()


@old_call("doca_cc_cap_get_max_msg_size")
def cap_get_max_msg_size(devinfo: DevInfo) -> int:
    """Return the largest message size that can be configured, in bytes."""
    return _info(devinfo).cap_get_max_msg_size()


@old_call("doca_cc_cap_get_max_recv_queue_size")
def cap_get_max_recv_queue_size(devinfo: DevInfo) -> int:
    """Return the largest receive queue that can be configured, in messages."""
    return _info(devinfo).cap_get_max_recv_queue_size()


@old_call("doca_cc_cap_get_max_clients")
def cap_get_max_clients(devinfo: DevInfo) -> int:
    """Return the largest number of clients of one server; 0 means no limit."""
    return _info(devinfo).cap_get_max_clients()


@old_call("doca_cc_cap_get_max_send_tasks")
def cap_get_max_send_tasks(devinfo: DevInfo) -> int:
    """Return the largest number of send tasks of one server or client."""
    return _info(devinfo).cap_get_max_send_tasks()


@old_call("doca_cc_cap_server_is_supported")
def cap_server_is_supported(devinfo: DevInfo) -> None:
    """Return whether a server can run on the device."""
    _require(devinfo, _info(devinfo).cap_server_is_supported(), "server")


@old_call("doca_cc_cap_client_is_supported")
def cap_client_is_supported(devinfo: DevInfo) -> None:
    """Return whether a client can run on the device."""
    _require(devinfo, _info(devinfo).cap_client_is_supported(), "client")


@old_call("doca_cc_producer_cap_is_supported")
def producer_cap_is_supported(devinfo: DevInfo) -> None:
    """Return whether producers can run on the device."""
    _require(devinfo, _info(devinfo).producer_cap_is_supported(), "producer")


@old_call("doca_cc_consumer_cap_is_supported")
def consumer_cap_is_supported(devinfo: DevInfo) -> None:
    """Return whether consumers can run on the device."""
    _require(devinfo, _info(devinfo).consumer_cap_is_supported(), "consumer")


@old_call("doca_cc_producer_cap_get_max_num_tasks")
def producer_cap_get_max_num_tasks(devinfo: DevInfo) -> int:
    """Return the largest number of sends that one producer can have submitted."""
    return _info(devinfo).producer_cap_get_max_num_tasks()


@old_call("doca_cc_consumer_cap_get_max_num_tasks")
def consumer_cap_get_max_num_tasks(devinfo: DevInfo) -> int:
    """Return the largest number of receives that one consumer can have posted."""
    return _info(devinfo).consumer_cap_get_max_num_tasks()


@old_call("doca_cc_producer_cap_get_max_buf_size")
def producer_cap_get_max_buf_size(devinfo: DevInfo) -> int:
    """Return the length of the longest buffer in bytes. Raises NotSupported where there are no producers."""
    return _info(devinfo).producer_cap_get_max_buf_size()


@old_call("doca_cc_consumer_cap_get_max_buf_size")
def consumer_cap_get_max_buf_size(devinfo: DevInfo) -> int:
    """Return the length of the longest buffer in bytes. Raises NotSupported where there are no consumers."""
    return _info(devinfo).consumer_cap_get_max_buf_size()


@old_call("doca_cc_producer_cap_get_max_producers")
def producer_cap_get_max_producers(devinfo: DevInfo) -> int:
    """Return the largest number of producers of one connection."""
    return _info(devinfo).producer_cap_get_max_producers()


@old_call("doca_cc_consumer_cap_get_max_consumers")
def consumer_cap_get_max_consumers(devinfo: DevInfo) -> int:
    """Return the largest number of consumers of one connection."""
    return _info(devinfo).consumer_cap_get_max_consumers()


# As DOCA 2.5 had them


@old_call("doca_cc_cap_is_producer_supported")
def cap_is_producer_supported(devinfo: DevInfo) -> None:
    """Return whether producers can run on the device."""
    _require(devinfo, _info(devinfo).producer_cap_is_supported(), "producer")


@old_call("doca_cc_cap_is_consumer_supported")
def cap_is_consumer_supported(devinfo: DevInfo) -> None:
    """Return whether consumers can run on the device."""
    _require(devinfo, _info(devinfo).consumer_cap_is_supported(), "consumer")


@old_call("doca_cc_producer_cap_get_max_log_num_tasks")
def producer_cap_get_max_log_num_tasks(devinfo: DevInfo) -> int:
    """Return the log2, rounded down, of the largest number of sends that one producer can have submitted."""
    return _info(devinfo).producer_cap_get_max_num_tasks().bit_length() - 1


@old_call("doca_cc_consumer_cap_get_max_log_num_tasks")
def consumer_cap_get_max_log_num_tasks(devinfo: DevInfo) -> int:
    """Return the log2, rounded down, of the largest number of receives that one consumer can have posted."""
    return _info(devinfo).consumer_cap_get_max_num_tasks().bit_length() - 1


# Of the memory that the fast path needs


@old_call("doca_mmap_cap_is_export_pci_supported")
def mmap_cap_is_export_pci_supported(devinfo: DevInfo) -> bool:
    """Return whether a map can be exported to the other side."""
    return _info(devinfo).mmap_cap_is_export_pci_supported()


@old_call("doca_mmap_cap_is_create_from_export_pci_supported")
def mmap_cap_is_create_from_export_pci_supported(devinfo: DevInfo) -> bool:
    """Return whether a map of the other side can be imported."""
    return _info(devinfo).mmap_cap_is_create_from_export_pci_supported()


def _info(devinfo: DevInfo) -> Modern:
    info: Modern = unwrap(devinfo, DevInfo, "devinfo")
    return info


def _require(devinfo: DevInfo, supported: bool, what: str) -> None:
    if not supported:
        raise NotSupported(f"{devinfo} cannot be a {what}")
