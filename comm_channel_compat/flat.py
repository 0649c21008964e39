"""The C names of generation 1, and the core calls beside them, as Python functions.

Inputs are in C order; an in/out parameter is an input and an output. The result is the code alone, or a tuple
of it and the outputs in C order, which are None on failure. NULL is None. No call raises a DocaError.

All functions but the two of the hot path are made from the fact tables, under every spelling there; so are the DOCA_*
constants.
"""

from comch_next import NotConnected
from comch_next.arguments import Buffer
from comch_next.declarations import comm_channel
from comch_next.pull import quick_method
from comm_channel_compat import _core, capabilities
from comm_channel_compat._flatten import Flat, Types, no_such_name
from comm_channel_compat._hot import INVALID_VALUE, RECVFROM_CODE, SENDTO_CODE, Received
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.endpoint import Endpoint
from comm_channel_compat.peer_addr import PeerAddr

# The hot path, written out


@old_call("doca_comm_channel_ep_sendto", is_coded=True)
@quick_method(SENDTO_CODE)
def doca_comm_channel_ep_sendto(
    local_ep: Endpoint,
    msg: Buffer,
    len: int,  # noqa: A002  # the C name
    flags: int,
    peer_addr: PeerAddr,
) -> int:
    """Queue a copy of the first `len` bytes of the message."""
    try:
        return local_ep._compat_sendto_code(msg, len, flags, peer_addr)
    except (AttributeError, TypeError):  # no endpoint, or the class itself
        if isinstance(local_ep, Endpoint):
            raise
        return INVALID_VALUE


@old_call("doca_comm_channel_ep_recvfrom", is_coded=True)
@quick_method(RECVFROM_CODE)
def doca_comm_channel_ep_recvfrom(
    local_ep: Endpoint,
    len: int,  # noqa: A002  # the C name
    flags: int,
) -> Received:
    """Return the oldest message of up to `len` bytes: code, message, its length, peer."""
    try:
        return local_ep._compat_recvfrom_code(len, flags)
    except (AttributeError, TypeError):  # no endpoint, or the class itself
        if isinstance(local_ep, Endpoint):
            raise
        return INVALID_VALUE, None, None, None


# The rest, from the tables

_TYPES = Types(
    handles={
        **_core.HANDLES,
        "struct doca_comm_channel_ep_t *": Endpoint,
        "struct doca_comm_channel_addr_t *": PeerAddr,
    },
    nulls={
        ("doca_comm_channel_ep_destroy", "local_ep"): NotConnected,
        ("doca_comm_channel_ep_disconnect", "peer_addr"): None,  # which is refused by the state of the endpoint
    },
    places=(capabilities,),
    home=__name__,
)
_CALLS: dict[str, Flat] = {
    "doca_comm_channel_ep_sendto": doca_comm_channel_ep_sendto,
    "doca_comm_channel_ep_recvfrom": doca_comm_channel_ep_recvfrom,
    "doca_comm_channel_ep_get_peer_addr_list": _core.counted(Endpoint.get_peer_addr_list),
}
_made = _core.c_names(comm_channel, _TYPES, _CALLS)
globals().update(_made)
__all__ = sorted(_made)
__getattr__ = no_such_name("generation 1", _made)
