"""The C names of DOCA 1.2 to 1.4, and the core calls beside them, as Python functions.

As in generation 1's flat module: inputs in C order, the code alone or with the outputs. All but the calls of the hot
path are made from the fact tables. A name that these do not give is refused by name.
"""

from typing import Any

from comch_next import DocaError, InitAttr, NotConnected, PeerInfo, peer_info
from comch_next.arguments import Buffer, instance
from comm_channel_compat import _core, _core_tables
from comm_channel_compat import _tables as _later
from comm_channel_compat._flatten import Flat, Types, flat_names, no_such_name
from comm_channel_compat._warn import warns_as
from comm_channel_compat.blocking import _tables
from comm_channel_compat.blocking.endpoint import Endpoint, Received
from comm_channel_compat.peer_addr import PeerAddr

_RELEASE = "generation 1 of DOCA 1.4"


@warns_as("doca_comm_channel_ep_sendto")
def doca_comm_channel_ep_sendto(
    local_ep: Endpoint,
    msg: Buffer,
    len: int,  # noqa: A002  # the C name
    flags: int,
    peer_addr: PeerAddr,
) -> int:
    """Send a copy of the first `len` bytes of the message; waits for room unless told otherwise."""
    try:
        return instance(local_ep, Endpoint, "local_ep")._sendto_code(msg, len, flags, peer_addr)
    except DocaError as error:
        return int(error.code)


@warns_as("doca_comm_channel_ep_recvfrom")
def doca_comm_channel_ep_recvfrom(
    local_ep: Endpoint,
    len: int,  # noqa: A002  # the C name
    flags: int,
) -> Received:
    """The oldest message of up to `len` bytes: code, message, its length, peer; waits for one unless told otherwise."""
    try:
        return instance(local_ep, Endpoint, "local_ep")._recvfrom_code(len, flags)
    except DocaError as error:
        return int(error.code), None, None, None


@warns_as("doca_comm_channel_ep_event_channel_get")
def doca_comm_channel_ep_event_channel_get(local_ep: Endpoint) -> int:
    """The descriptor to poll, -1 before listen or connect."""
    try:
        return instance(local_ep, Endpoint, "local_ep").event_channel
    except DocaError:
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
)
_CALLS: dict[str, Flat] = {
    **_core.CALLS,
    "doca_comm_channel_ep_sendto": doca_comm_channel_ep_sendto,
    "doca_comm_channel_ep_recvfrom": doca_comm_channel_ep_recvfrom,
    "doca_comm_channel_ep_event_channel_get": doca_comm_channel_ep_event_channel_get,
    "doca_comm_channel_peer_addr_user_data_get": PeerAddr.get_user_data,
    "doca_comm_channel_peer_addr_user_data_set": PeerAddr.set_user_data,
    "doca_comm_channel_peer_addr_info_get": _info,
}
_made: dict[str, Any] = {
    **_core.MACROS,
    **flat_names({**_tables.FUNCTIONS, **_core_tables.FUNCTIONS}, _TYPES, _CALLS, _core_tables.ALIASES),
    **_core_tables.CONSTANTS,
    **_later.CONSTANTS,  # the flag that stands for none
    **_tables.CONSTANTS,
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


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # Python itself asks for such, at every import
        raise AttributeError(name)
    if name in _NOT_GIVEN:
        raise AttributeError(f"{name} is not run: {_NOT_GIVEN[name]}")
    if name in _later.FUNCTIONS:
        raise AttributeError(f"{_RELEASE} has no {name!r}, which came with DOCA 1.5: run without --doca 1.4")
    raise no_such_name(_RELEASE, _made, name)
