"""The C names of DOCA 1.2 to 1.4, and the core calls beside them, as Python functions.

As in generation 1's flat module, inputs are in C order, and the result is the code alone or with the outputs. All calls
but those of the hot path are made from the fact tables. A name that is left out there raises an error that names it.
"""

from typing import Any

from comch_next import DocaError, InitAttr, NotConnected, PeerInfo, peer_info
from comch_next.arguments import Buffer, instance
from comch_next.declarations import comm_channel, comm_channel_1x
from comm_channel_compat import _core
from comm_channel_compat._flatten import Flat, Types, no_attribute, no_such_name
from comm_channel_compat._old_calls import old_call
from comm_channel_compat._refusals import code_of
from comm_channel_compat.blocking.endpoint import Endpoint, Received
from comm_channel_compat.peer_addr import PeerAddr

_RELEASE = "generation 1 of DOCA 1.4"


@old_call("doca_comm_channel_ep_sendto", is_coded=True)
def doca_comm_channel_ep_sendto(
    local_ep: Endpoint,
    msg: Buffer,
    len: int,  # noqa: A002  # the C name
    flags: int,
    peer_addr: PeerAddr,
) -> int:
    """Send a copy of the first `len` bytes of the message; wait for room unless a flag or the endpoint forbids it."""
    try:
        return instance(local_ep, Endpoint, "local_ep")._compat_sendto_code(msg, len, flags, peer_addr)
    except DocaError as error:
        return code_of(error)


@old_call("doca_comm_channel_ep_recvfrom", is_coded=True)
def doca_comm_channel_ep_recvfrom(
    local_ep: Endpoint,
    len: int,  # noqa: A002  # the C name
    flags: int,
) -> Received:
    """Receive a message of up to `len` bytes: code, message, its length, peer; wait unless a flag forbids it."""
    try:
        return instance(local_ep, Endpoint, "local_ep")._compat_recvfrom_code(len, flags)
    except DocaError as error:
        return code_of(error), None, None, None


@old_call("doca_comm_channel_ep_event_channel_get")
def doca_comm_channel_ep_event_channel_get(local_ep: Endpoint) -> int:
    """Return the descriptor to poll, -1 before listen or connect."""
    try:
        return instance(local_ep, Endpoint, "local_ep").event_channel
    except DocaError as error:
        code_of(error)
        return -1


def _info(peer: PeerAddr) -> PeerInfo:
    return peer_info(peer._connection)


_NO_PEER = ("doca_comm_channel_ep_disconnect", "doca_comm_channel_peer_addr_info_get")
_TYPES = Types(
    handles={
        **_core.HANDLES,
        "struct doca_comm_channel_ep_t *": Endpoint,
        "struct doca_comm_channel_addr_t *": PeerAddr,
        "struct doca_comm_channel_init_attr *": InitAttr,
    },
    nulls={
        ("doca_comm_channel_ep_destroy", "ep"): NotConnected,
        **dict.fromkeys(((call, "peer_addr") for call in _NO_PEER), NotConnected),
    },
    home=__name__,
)
_CALLS: dict[str, Flat] = {
    "doca_comm_channel_ep_sendto": doca_comm_channel_ep_sendto,
    "doca_comm_channel_ep_recvfrom": doca_comm_channel_ep_recvfrom,
    "doca_comm_channel_ep_event_channel_get": doca_comm_channel_ep_event_channel_get,
    "doca_comm_channel_peer_addr_user_data_get": PeerAddr.get_user_data,
    "doca_comm_channel_peer_addr_user_data_set": PeerAddr.set_user_data,
    "doca_comm_channel_peer_addr_info_get": _info,
}
_made: dict[str, Any] = {
    **_core.c_names(comm_channel_1x, _TYPES, _CALLS),
    **comm_channel.CONSTANTS,  # the flag that stands for none
    "doca_comm_channel_init_attr": InitAttr,
    "doca_comm_channel_peer_addr_info": PeerInfo,
}
globals().update(_made)
__all__ = sorted(_made)

# What the tables name without all that it takes to run it.
_NOT_GIVEN = {
    "doca_comm_channels_poll": "what struct doca_pollfd holds is in no header at hand; poll the event channels",
    "DOCA_CC_INIT_FLAG_NONBLOCK": "its value is not confirmed; DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK is the same flag",
}

_refuse = no_such_name(_RELEASE, _made)


def __getattr__(name: str) -> Any:
    if name in _NOT_GIVEN:
        raise no_attribute(f"{name} is not run: {_NOT_GIVEN[name]}", name)
    if name in comm_channel.FUNCTIONS:
        raise no_attribute(f"{_RELEASE} has no {name!r}, which came with DOCA 1.5: run without --doca 1.4", name)
    return _refuse(name)
