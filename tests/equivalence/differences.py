"""Where the expressions written for old calls still answer otherwise, and why. A rewriter has to look for each."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DIFFERENCES", "Difference"]


class Difference(NamedTuple):
    """What a program can see, by the old calls concerned ("*" for all)."""

    calls: tuple[str, ...]
    old: str
    new: str
    why: str


_LENGTHS = ("get_max_message_size", "get_max_send_queue_size", "get_max_recv_queue_size")

DIFFERENCES: dict[str, Difference] = {
    "text of an error": Difference(
        ("ep_sendto", "ep_recvfrom", "ep_disconnect"),
        "recvfrom: no message has come; try again",
        "receive: nothing waits",
        "AGAIN and a wrong peer are worded by each; the other texts are the same, with the names of comch_next",
    ),
    "type of a result": Difference(
        ("ep_recvfrom",), "a plain tuple", "a Message, a named tuple (objects)", "their repr and type differ"
    ),
    "flags as numbers": Difference(
        ("devinfo_rep_get_is_hotplug", "devinfo_is_equal_pci_addr"), "1", "True", "a flat call gave C's numbers"
    ),
    "sending and receiving with flags": Difference(
        ("ep_sendto", "ep_recvfrom"), "INVALID_VALUE for flags other than 0", "no flags", "the new calls take none"
    ),
    "a device that does not answer": Difference(
        (*_LENGTHS, "get_service_max_num_connections"), "UNEXPECTED", "DRIVER", "the modern calls have that code"
    ),
    "longest name of no device": Difference(
        ("get_max_service_name_len",), "of all devices", "of one device", "the capability is a device's now"
    ),
    "two opens of a device": Difference(("dev_open",), "are not equal", "are equal", "they are one device"),
    "False as a filter": Difference(("devinfo_rep_create_list",), "all", "INVALID_VALUE", "bits are numbers"),
}
