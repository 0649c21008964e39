"""Descriptors to wait on for messages and for sends that end (old guide: Event Channel).

Each fires once per arming, for its own direction only: the send channel when a message in flight has ended, which is
when a sendto that was answered AGAIN may be tried again. What came before the arming makes it ready at once, and a
ready descriptor stays so until it is armed again. A peer's orderly disconnection is no event; its death is, and so is
a message that fails on its way to it. The descriptors are the endpoint's until it is destroyed, however often a client
disconnects and connects.
"""

from __future__ import annotations

from comch_next import NoMemory, NotFound, PullPort

__all__ = ["arm_recv", "arm_send", "get_event_channel"]


def get_event_channel(port: PullPort) -> tuple[int, int]:
    """The descriptors that become readable when a message in flight has ended, and when a message has come."""
    try:
        return port.send_fd, port.recv_fd
    except NoMemory as error:
        raise NotFound(f"get_event_channel: {error}") from error


def arm_send(port: PullPort) -> None:
    """Let the send descriptor fire once: when a message in flight ends, or at once for one that the program missed."""
    port.arm_send()


def arm_recv(port: PullPort) -> None:
    """Let the receive descriptor fire once: when recvfrom has anything to say but AGAIN."""
    port.arm_recv()
