"""What a device can do for the channel (old guide: Querying Device Capabilities)."""

from comch_next import NotSupported
from comch_next import devices as modern_devices
from comm_channel_compat._arguments import instance
from comm_channel_compat._devices import DevInfo
from comm_channel_compat._warn import warns_as

__all__ = [
    "get_max_message_size",
    "get_max_recv_queue_size",
    "get_max_send_queue_size",
    "get_max_service_name_len",
    "get_service_max_num_connections",
]

_NAME_LEN = 128  # SERVICE_NAME_MAX of the oldest headers, told where no device can be asked


@warns_as("doca_comm_channel_get_max_service_name_len")
def get_max_service_name_len() -> int:
    """The longest service name in bytes, its NUL included, on whichever device."""
    return min((info.cap_get_max_name_len() for info in modern_devices()), default=_NAME_LEN)


@warns_as("doca_comm_channel_get_max_message_size")
def get_max_message_size(devinfo: DevInfo) -> int:
    """The largest message in bytes that `ep.set_max_msg_size` takes on this device."""
    return instance(devinfo, DevInfo, "devinfo").modern.cap_get_max_msg_size()


@warns_as("doca_comm_channel_get_max_send_queue_size")
def get_max_send_queue_size(devinfo: DevInfo) -> int:
    """The most messages in flight that `ep.set_send_queue_size` takes on this device."""
    return instance(devinfo, DevInfo, "devinfo").modern.cap_get_max_send_tasks()


@warns_as("doca_comm_channel_get_max_recv_queue_size")
def get_max_recv_queue_size(devinfo: DevInfo) -> int:
    """The most waiting messages that `ep.set_recv_queue_size` takes on this device."""
    return instance(devinfo, DevInfo, "devinfo").modern.cap_get_max_recv_queue_size()


@warns_as("doca_comm_channel_get_service_max_num_connections")
def get_service_max_num_connections(devinfo: DevInfo) -> int:
    """The most clients of one service, 0 for no limit; NotSupported on a device that cannot be a service."""
    modern = instance(devinfo, DevInfo, "devinfo").modern
    if not modern.cap_server_is_supported():
        raise NotSupported(f"{devinfo} cannot be a service; ask a device of the DPU")
    return modern.cap_get_max_clients()
