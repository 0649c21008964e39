"""The functions of libdoca_comm_channel: the flat ones, with pointers for objects and buffers for bytes.

A pointer that stands for nothing, be it stale or of another struct, is NULL to the flat functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comch_next as comch
from comch_next.capi.binding import Binding, Function, Param, tag_of
from comch_next.capi.handles import HANDLES, Handle
from comch_next.capi.seam import DRIVER
from comch_next.declarations.comm_channel import FUNCTIONS
from comm_channel_compat import flat
from comm_channel_compat._devices import Device, DevInfo, Representor

__all__ = ["attach"]

Write = Callable[[Any, Any], object]

_EP, _ADDR = "doca_comm_channel_ep_t", "doca_comm_channel_addr_t"
_SUCCESS, _INVALID_VALUE = 0, int(comch.ErrorCode.INVALID_VALUE)
_endpoints = HANDLES.of_tag(_EP)

# The library's handles of devices as generation 1's objects, made for each call: they hold nothing open.
_DEVICES: dict[str, Callable[[Any], Any]] = {
    "doca_dev": lambda dev: Device(comch.Device(DRIVER, dev)),
    "doca_dev_rep": lambda rep: Representor(comch.Representor(DRIVER, rep)),
    "doca_devinfo": lambda info: DevInfo(comch.DevInfo(DRIVER, info)),
}


def attach(ffi: Any, lib: Any) -> None:
    """Give the library its functions."""
    binding = Binding(ffi, lib)
    by_hand = {
        "doca_comm_channel_ep_get_event_channel": _get_event_channel,
        "doca_comm_channel_ep_get_peer_addr_list": _get_peer_addr_list(ffi),
    }
    table = HANDLES.for_c(binding.code_of)
    lib.comch_face_hot(id(table), id(_peer))
    for row in binding.rows(FUNCTIONS):
        binding.attach(row.name, by_hand.get(row.name) or _through(row, getattr(flat, row.name), ffi))


def _through(row: Function, call: Callable[..., Any], ffi: Any) -> Callable[..., int]:
    """Make a function of pointers from the flat one."""
    inputs = [(place, _taker(param, ffi)) for place, param in enumerate(row.params) if param.is_input]
    outputs = [(place, _giver(param)) for place, param in enumerate(row.params) if param.is_output]

    def run(*args: Any) -> int:
        result = call(*[take(args[place]) for place, take in inputs])
        if not outputs:
            code = int(result)
        else:
            code, *values = result
            for (place, give), value in zip(outputs, values, strict=True):
                if value is not None:
                    args[place][0] = give(value, args)
        if code == _SUCCESS and row.name.endswith("_destroy"):
            HANDLES.drop(_endpoints[args[0]])
        return code

    return run


def _taker(param: Param, ffi: Any) -> Callable[[Any], Any]:
    """How an argument of C becomes one of the flat function."""
    tag = tag_of(param.ctype)
    if tag:
        living, dressed = HANDLES.of_tag(tag), _DEVICES.get(tag, lambda target: target)
        return lambda address: dressed(living[address].target) if address in living else None
    return ffi.string if param.ctype == "const char *" else lambda value: value


def _giver(param: Param) -> Callable[[Any, Any], int]:
    """How a result of the flat function becomes one for C, where the endpoint is the first argument."""
    tag = tag_of(param.ctype)
    if tag == _ADDR:
        return lambda peer, args: _peer(peer, _endpoints[args[0]])
    if tag == _EP:
        return lambda endpoint, args: HANDLES.of(_EP, endpoint).address
    if tag:
        return lambda device, args: HANDLES.of(tag, device.modern._handle).address
    return lambda value, args: int(value)


def _peer(peer: Any, endpoint: Handle) -> int:
    """The pointer of a peer, which stays readable until its endpoint is destroyed."""
    return HANDLES.of(_ADDR, peer, endpoint).address


# What the generated functions cannot be; the calls of loops are in _sources/hot.c


def _get_event_channel(local_ep: int, send_event_channel: Any, recv_event_channel: Any) -> int:
    """Either pointer may be NULL, but not both."""
    wanted = [pointer for pointer in (send_event_channel, recv_event_channel) if pointer]
    endpoint = _endpoints.get(local_ep)
    if endpoint is None or not wanted:
        return _INVALID_VALUE
    code, *channels = flat.doca_comm_channel_ep_get_event_channel(endpoint.target)
    if code == _SUCCESS:
        for pointer, channel in zip((send_event_channel, recv_event_channel), channels, strict=True):
            if pointer:
                pointer[0] = channel
    return int(code)


def _get_peer_addr_list(ffi: Any) -> Callable[..., int]:
    def get_peer_addr_list(local_ep: int, peer_addr_array: Any, peer_addr_array_len: Any) -> int:
        """The array lives until the next one is asked for."""
        endpoint = _endpoints.get(local_ep)
        if endpoint is None:
            return _INVALID_VALUE
        code, peers, number = flat.doca_comm_channel_ep_get_peer_addr_list(endpoint.target)
        if code == _SUCCESS:
            endpoint.kept = ffi.new("uintptr_t[]", [*(_peer(peer, endpoint) for peer in peers), 0])
            peer_addr_array[0] = int(ffi.cast("uintptr_t", endpoint.kept))
            peer_addr_array_len[0] = number
        return int(code)

    return get_peer_addr_list
