"""Makes functions of pointers from the flat ones: pointers for objects, and for what comes back.

A pointer that stands for nothing, be it stale or of another struct, is NULL to the flat functions.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import comch_next as comch
from comch_next.capi.binding import Function, Param, tag_of
from comch_next.capi.handles import HANDLES, Handle
from comch_next.capi.seam import DRIVER
from comm_channel_compat._devices import Device, DevInfo, Representor
from comm_channel_compat._peers import still_up

__all__ = ["ENDPOINT", "ENDPOINTS", "PEERS", "peer_address", "through"]

ENDPOINT, _ADDR = "doca_comm_channel_ep_t", "doca_comm_channel_addr_t"
ENDPOINTS, PEERS = HANDLES.of_tag(ENDPOINT), HANDLES.of_tag(_ADDR)

_MOST_LEFT, _SPARE = 1024, 64
# Pointers of peers whose connections have ended, the oldest first, with how many had been noted then.
_left: OrderedDict[int, int] = OrderedDict()
_noted = 0
_most_owned: dict[int, int] = {}  # by an endpoint's pointer: peers, before those that have ended are looked for

# The library's handles of devices as generation 1's objects, made for each call: they hold nothing open.
_DEVICES: dict[str, Callable[[Any], Any]] = {
    "doca_dev": lambda dev: Device(comch.Device(DRIVER, dev)),
    "doca_dev_rep": lambda rep: Representor(comch.Representor(DRIVER, rep)),
    "doca_devinfo": lambda info: DevInfo(comch.DevInfo(DRIVER, info)),
}


def through(row: Function, call: Callable[..., Any], ffi: Any) -> Callable[..., int]:
    """Make a function of pointers from the flat one."""
    inputs = [(place, _taker(param, ffi)) for place, param in enumerate(row.params) if param.is_input]
    outputs = [(place, _giver(param)) for place, param in enumerate(row.params) if param.is_output]

    def run(*args: Any) -> int:
        endpoint: Any = ENDPOINTS.get(args[0])  # before the call: another thread may destroy it meanwhile
        result = call(*[take(args[place]) for place, take in inputs])
        if not outputs:
            code = int(result)
        else:
            code, *values = result
            for (place, give), value in zip(outputs, values, strict=True):
                if value is not None:
                    args[place][0] = give(value, endpoint)
        if code == comch.ErrorCode.SUCCESS and row.name.endswith("_destroy"):
            HANDLES.drop(endpoint)
            _most_owned.pop(endpoint.address, None)
        elif code == comch.ErrorCode.SUCCESS and row.name.endswith("_disconnect"):
            _note_left(args[1])
        return code

    return run


def _note_left(*addresses: int) -> None:
    """Note peers that have been left, or have ended: a service has any number of them in its life.

    In which order several have ended nobody knows: all of them wait for those that are noted later.
    """
    global _noted
    new = [address for address in addresses if address not in _left]
    _noted += len(new)
    _left.update(dict.fromkeys(new, _noted))
    while _left and _noted - next(iter(_left.values())) >= _MOST_LEFT:
        oldest = PEERS.get(_left.popitem(last=False)[0])
        if oldest is not None:  # else its endpoint has been destroyed
            HANDLES.drop_one(oldest)


def _note_ended(endpoint: Handle) -> None:
    """Note the peers of an endpoint that have ended, now and then: an orderly end is not reported."""
    assert endpoint.owned is not None
    if len(endpoint.owned) < _most_owned.get(endpoint.address, _SPARE):
        return
    peers = list(endpoint.owned)
    up = still_up(peer.target.modern for peer in peers)
    ended = [peer for peer in peers if peer.target.modern not in up]
    _note_left(*sorted(peer.address for peer in ended))
    _most_owned[endpoint.address] = len(endpoint.owned) + len(up) + _SPARE


def _taker(param: Param, ffi: Any) -> Callable[[Any], Any]:
    """How an argument of C becomes one of the flat function."""
    tag = tag_of(param.ctype)
    if tag:
        living, dressed = HANDLES.of_tag(tag), _DEVICES.get(tag, lambda target: target)

        def take(address: Any) -> Any:
            found = living.get(address)
            return None if found is None else dressed(found.target)

        return take
    return ffi.string if param.ctype == "const char *" else lambda value: value


def _giver(param: Param) -> Callable[[Any, Handle], int]:
    """How a result of the flat function becomes one for C, of the endpoint that is the first argument."""
    tag = tag_of(param.ctype)
    if tag == _ADDR:
        return peer_address
    if tag == ENDPOINT:
        return lambda made, _: HANDLES.of(ENDPOINT, made).address
    if tag:
        return lambda device, _: HANDLES.of(tag, device.modern._handle).address
    return lambda value, _: int(value)


def peer_address(peer: Any, endpoint: Handle) -> int:
    """The pointer of a peer, readable until its endpoint is destroyed, or 1024 others have ended after it did."""
    _note_ended(endpoint)
    return HANDLES.of(_ADDR, peer, endpoint).address
