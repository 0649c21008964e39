"""Read an endpoint's properties from its server or client."""

from migrate._legacy import EP
from migrate.rule import Reads, Refuses, Rule


def _rounded(*_: object) -> Refuses:
    """Queue sizes were rounded when set, and read back rounded."""
    return Refuses("CCM043")


RULES: dict[str, Rule] = {
    EP + "get_device": Reads("{ep}", "device"),
    EP + "get_device_rep": Reads("{ep}", "device_rep"),
    EP + "get_max_msg_size": Reads("{ep}", "max_msg_size"),
    EP + "get_send_queue_size": _rounded,
    EP + "get_recv_queue_size": _rounded,
}
