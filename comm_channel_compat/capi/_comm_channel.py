"""The functions of libdoca_comm_channel: the flat ones, with pointers for objects and buffers for bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comch_next as comch
from comch_next.capi.binding import Binding, whole
from comch_next.capi.handles import HANDLES
from comch_next.declarations.comm_channel import FUNCTIONS
from comm_channel_compat import flat
from comm_channel_compat._refusals import answer_by
from comm_channel_compat.capi._pointers import ENDPOINTS, peer_address, through

__all__ = ["attach"]

_SUCCESS = 0


def attach(ffi: Any, lib: Any) -> None:
    """Give the library its functions."""
    binding = Binding(ffi, lib)
    by_hand = {
        "doca_comm_channel_ep_get_event_channel": binding.coded(_get_event_channel),
        "doca_comm_channel_ep_get_peer_addr_list": _get_peer_addr_list(ffi),
    }
    table = HANDLES.for_c(binding.refused, binding.unexpected)
    answer_by(binding.code_of_refusal)
    lib.comch_face_hot(id(table), id(peer_address))
    for row in binding.rows(FUNCTIONS):
        call = by_hand.get(row.name) or through(row, getattr(flat, row.name), ffi)
        binding.attach(row.name, whole(row, call))


# What the generated functions cannot be; the calls of loops are in _sources/hot.c


def _get_event_channel(local_ep: int, send_event_channel: Any, recv_event_channel: Any) -> int:
    """Either pointer may be NULL, but not both."""
    wanted = [pointer for pointer in (send_event_channel, recv_event_channel) if pointer]
    endpoint = ENDPOINTS.get(local_ep)
    if not wanted:
        raise comch.InvalidValue("get_event_channel: send_event_channel and recv_event_channel are NULL")
    code, *channels = flat.doca_comm_channel_ep_get_event_channel(endpoint and endpoint.target)
    if code == _SUCCESS:
        for pointer, channel in zip((send_event_channel, recv_event_channel), channels, strict=True):
            if pointer:
                pointer[0] = channel
    return int(code)


def _get_peer_addr_list(ffi: Any) -> Callable[..., int]:
    def get_peer_addr_list(local_ep: int, peer_addr_array: Any, peer_addr_array_len: Any) -> int:
        """The array lives as long as the list does: until the next snapshot."""
        endpoint = ENDPOINTS.get(local_ep)
        code, peers, number = flat.doca_comm_channel_ep_get_peer_addr_list(endpoint and endpoint.target)
        if endpoint is not None and code == _SUCCESS:
            addresses = [*(peer_address(peer, endpoint) for peer in peers), 0]
            if endpoint.kept is None or list(endpoint.kept) != addresses:
                endpoint.kept = ffi.new("uintptr_t[]", addresses)
            peer_addr_array[0] = int(ffi.cast("uintptr_t", endpoint.kept))
            peer_addr_array_len[0] = number
        return int(code)

    return get_peer_addr_list
