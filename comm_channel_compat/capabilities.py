"""What a device can do for the channel (old guide: Querying Device Capabilities)."""

from collections.abc import Callable

import comch_next as comch
from comch_next import Driver, Unexpected, outcome
from comch_next import devices as modern_devices
from comch_next.arguments import instance
from comm_channel_compat._devices import DevInfo
from comm_channel_compat._old_calls import old_call

__all__ = [
    "get_max_message_size",
    "get_max_recv_queue_size",
    "get_max_send_queue_size",
    "get_max_service_name_len",
    "get_service_max_num_connections",
]

_NAME_LEN = 128  # SERVICE_NAME_MAX of the oldest headers, reported where no device can be asked


@old_call("doca_comm_channel_get_max_service_name_len")
def get_max_service_name_len() -> int:
    """Return the length of the longest service name, in bytes, its NUL included; the same for all devices."""
    lengths = [outcome(info.cap_get_max_name_len)[1] for info in modern_devices()]
    return min((length for length in lengths if length is not None), default=_NAME_LEN)


@old_call("doca_comm_channel_get_max_message_size")
def get_max_message_size(devinfo: DevInfo) -> int:
    """Return the largest message, in bytes, that `ep.set_max_msg_size` takes on this device."""
    return _ask(devinfo, comch.DevInfo.cap_get_max_msg_size)


@old_call("doca_comm_channel_get_max_send_queue_size")
def get_max_send_queue_size(devinfo: DevInfo) -> int:
    """Return the largest send queue that `ep.set_send_queue_size` takes on this device."""
    return _ask(devinfo, comch.DevInfo.cap_get_max_send_tasks)


@old_call("doca_comm_channel_get_max_recv_queue_size")
def get_max_recv_queue_size(devinfo: DevInfo) -> int:
    """Return the largest receive queue that `ep.set_recv_queue_size` takes on this device."""
    return _ask(devinfo, comch.DevInfo.cap_get_max_recv_queue_size)


@old_call("doca_comm_channel_get_service_max_num_connections")
def get_service_max_num_connections(devinfo: DevInfo) -> int:
    """Return the largest number of clients of one service, 0 for no limit. Raises NotSupported on a host's device."""
    return _ask(devinfo, comch.DevInfo.max_clients_of_service)


def _ask(devinfo: DevInfo, query: Callable[[comch.DevInfo], int]) -> int:
    """What the device answers. These calls have no DRIVER: if it does not answer, they report UNEXPECTED."""
    try:
        return query(instance(devinfo, DevInfo, "devinfo").modern)
    except Driver as error:
        raise Unexpected(str(error)) from error
