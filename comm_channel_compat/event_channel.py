"""Descriptors to wait on for messages and for sends that end (old guide: Event Channel).

Each fires once per arming, for its own direction only: the send channel when a message in flight has ended, which is
when a sendto that was answered AGAIN may be tried again. What came before the arming makes it ready at once, and a
ready descriptor stays so until it is armed again. A peer's orderly disconnection is no event; its death is, and so is
a message that fails on its way to it. The descriptors are the endpoint's until it is destroyed, however often a client
disconnects and connects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comch_next import NoMemory, NotFound

if TYPE_CHECKING:
    from comm_channel_compat._link import Link

__all__ = ["arm_recv", "arm_send", "get_event_channel"]


def get_event_channel(link: Link) -> tuple[int, int]:
    """The descriptors that become readable when a message in flight has ended, and when a message has come."""
    try:
        return link.port.send_fd, link.port.recv_fd
    except NoMemory as error:
        raise NotFound(f"get_event_channel: {error}") from error


def arm_send(link: Link) -> None:
    """Let the send descriptor fire once: when a message in flight ends, or at once for one that the program missed."""
    link.port.arm_send()


def arm_recv(link: Link) -> None:
    """Let the receive descriptor fire once: when recvfrom has anything to say but AGAIN."""
    link.port.arm_recv()
