"""Descriptors to wait on for messages and for room (old guide: Event Channel). Not available yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comch_next import NotSupported

if TYPE_CHECKING:
    from comm_channel_compat._link import Link, Unlinked

__all__ = ["arm_recv", "arm_send", "get_event_channel"]

_UNAVAILABLE = "event channels are not available yet; call sendto and recvfrom until they stop saying AGAIN"


def get_event_channel(link: Link | Unlinked) -> tuple[int, int]:
    """The descriptors that become readable when there is room to send, and when a message has come."""
    raise NotSupported(f"get_event_channel: {_UNAVAILABLE}")


def arm_send(link: Link | Unlinked) -> None:
    """Let the send descriptor fire once."""
    raise NotSupported(f"event_handle_arm_send: {_UNAVAILABLE}")


def arm_recv(link: Link | Unlinked) -> None:
    """Let the receive descriptor fire once."""
    raise NotSupported(f"event_handle_arm_recv: {_UNAVAILABLE}")
