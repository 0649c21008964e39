"""Descriptors to wait on for messages and for sends that end (old guide: Event Channel).

Each becomes ready once per arming, for its own direction only: the send channel when a message in flight has ended, so
that a sendto that returned AGAIN may be tried again. An event before the arming makes it ready at once, and a ready
descriptor stays ready until it is armed again. A peer's orderly disconnection does not make it ready; its death does,
and so does a message that fails on its way. The descriptors belong to the endpoint until it is destroyed, however often
a client disconnects and connects.
"""

from __future__ import annotations

from comch_next import Channel
from comm_channel_compat._old_calls import old_call

__all__ = ["EventChannel"]


@old_call("doca_comm_channel_ep_")
class EventChannel:
    """The calls of an endpoint on its event channel."""

    _compat_channel: Channel

    def get_event_channel(self) -> tuple[int, int]:
        """Return two descriptors: for sends that have ended, and for received messages. Arm before every wait."""
        return self._compat_channel.send_fd, self._compat_channel.recv_fd

    def event_handle_arm_send(self) -> None:
        """Arm the send descriptor once: it is ready when a send in flight ends, at once if one ended unnoticed."""
        self._compat_channel.arm_send()

    def event_handle_arm_recv(self) -> None:
        """Arm the receive descriptor once: it is ready when recvfrom would not return AGAIN."""
        self._compat_channel.arm_recv()
