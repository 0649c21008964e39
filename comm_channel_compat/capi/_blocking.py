"""The functions of libdoca_comm_channel as DOCA 1.2 to 1.4 had it: structs beside pointers, and calls that block."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from comch_next import InitAttr
from comch_next.api import structs
from comch_next.api.crossing import nothing
from comch_next.capi.binding import Binding, whole
from comch_next.capi.handles import HANDLES
from comch_next.declarations.comm_channel_1x import FUNCTIONS
from comm_channel_compat._refusals import answer_by
from comm_channel_compat.blocking import flat
from comm_channel_compat.capi._pointers import ENDPOINT, ENDPOINTS, PEERS, peer_address, through

__all__ = ["attach"]

_SUCCESS = 0
_FORMATS = {"uint16_t": "H", "uint32_t": "I", "uint64_t": "Q"}
_LAYOUTS = {
    row.name: struct.Struct("@" + "".join(_FORMATS[ctype] for _, ctype in row.fields))
    for row in structs("comm_channel_1x")
}


def attach(ffi: Any, lib: Any) -> None:
    """Give the library its functions."""
    binding = Binding(ffi, lib)
    by_hand = {
        "doca_comm_channel_ep_create": _create(ffi),
        "doca_comm_channel_peer_addr_info_get": _info_get(ffi),
        "doca_comm_channel_ep_event_channel_get": _event_channel_get,
    }
    table = HANDLES.for_c(binding.refused, binding.unexpected)
    answer_by(binding.code_of_refusal)
    lib.comch_face_hot(id(table), id(peer_address))
    for row in binding.rows(FUNCTIONS):
        own = by_hand.get(row.name)
        call = whole(row, own) if own else through(row, getattr(flat, row.name), ffi)  # these may wait
        is_coded = row.returns == "doca_error_t"  # an event channel is an int, too
        binding.attach(row.name, call, is_coded, unanswered=nothing(row.returns))


def _create(ffi: Any) -> Callable[..., int]:
    layout = _LAYOUTS["doca_comm_channel_init_attr"]

    def create(attr: int, ep: Any) -> int:
        """The attributes are read before anything is made."""
        given = InitAttr(*layout.unpack(ffi.buffer(ffi.cast("char *", attr), layout.size))) if attr else None
        code, endpoint = flat.doca_comm_channel_ep_create(given)
        if code == _SUCCESS:
            ep[0] = HANDLES.of(ENDPOINT, endpoint).address
        return int(code)

    return create


def _info_get(ffi: Any) -> Callable[..., int]:
    layout = _LAYOUTS["doca_comm_channel_peer_addr_info"]

    def info_get(peer_addr: int, info: int) -> int:
        """The struct is written on success only."""
        peer = PEERS.get(peer_addr)
        code, found = flat.doca_comm_channel_peer_addr_info_get(peer and peer.target)
        if code == _SUCCESS:
            ffi.memmove(ffi.cast("char *", info), layout.pack(*vars(found).values()), layout.size)
        return int(code)

    return info_get


def _event_channel_get(local_ep: int) -> int:
    endpoint: Any = ENDPOINTS.get(local_ep)
    return flat.doca_comm_channel_ep_event_channel_get(endpoint and endpoint.target)
