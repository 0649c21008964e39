"""Old objects from those of comch_next and back, for a program that uses both while it moves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import comch_next as comch
from comch_next import DocaError, InvalidValue, NotPermitted, NotSupported
from comch_next.arguments import register_origin, shown
from comm_channel_compat._devices import Device, DevInfo, RepInfo, Representor
from comm_channel_compat._known import known, modern_of
from comm_channel_compat.endpoint import Endpoint
from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["DEVICES", "unwrap", "wrap"]

_PACKAGE = "comm_channel_compat"
DEVICES: Mapping[type, Callable[[Any], Any]] = {
    comch.DevInfo: DevInfo,
    comch.RepInfo: RepInfo,
    comch.Device: Device,
    comch.Representor: Representor,
}

register_origin(_PACKAGE, "generation 1 (comm_channel_compat)", wrap=f"{_PACKAGE}.wrap", unwrap=f"{_PACKAGE}.unwrap")


# What an endpoint answers to a call that the other role has; NotPermitted to all others.
_OF_OTHER_ROLE: Mapping[str, type[DocaError]] = {
    **dict.fromkeys(("service_fd", "update_info", "connections", "pending"), NotSupported),
    "device_rep": InvalidValue,
}


class OneRole:
    """A Server or Client in the place of an endpoint's channel: it refuses the calls of the other role."""

    def __init__(self, context: comch.Context) -> None:
        object.__setattr__(self, "context", context)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._acting_for(name), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._acting_for(name), name, value)

    def _acting_for(self, name: str) -> comch.Context:
        """Return the context, if its role has this."""
        context: comch.Context = self.context
        if hasattr(comch.Channel, name) and not hasattr(type(context), name):
            error = _OF_OTHER_ROLE.get(name, NotPermitted)
            raise error(f"{name}: {context!r} is not a channel of both roles")
        return context

    def __repr__(self) -> str:
        return repr(self.context)


def wrap(modern: Any) -> Any:
    """Return the old object for one of comch_next: device, representor, one of their infos, connection or context.

    A context must have been made with `one_sided=True`. The same context or connection always gets the same object.
    Raises InvalidValue for an object that generation 1 has no handle for.
    """
    for kind, make in DEVICES.items():
        if isinstance(modern, kind):
            return make(modern)
    if isinstance(modern, comch.Connection):
        _check_one_sided(modern.client or modern.server, modern)
        return known(PeerAddr, modern, PeerAddr)
    if isinstance(modern, (comch.Server, comch.Client)):
        _check_one_sided(modern, modern)
        return known(Endpoint, modern, _endpoint)
    raise InvalidValue(f"wrap takes an object of comch_next that generation 1 has a handle of, not {shown(modern)}")


def _check_one_sided(context: Any, modern: object) -> None:
    if not context.one_sided:
        text = f"wrap: {modern!r} does not answer as generation 1 did"
        raise InvalidValue(f"{text}; make its context with one_sided=True")


def _endpoint(context: Any) -> Endpoint:
    endpoint = Endpoint.__new__(Endpoint)
    endpoint._compat_stand_on(context, context if isinstance(context, comch.Channel) else OneRole(context))
    return endpoint


def unwrap(old: Any) -> Any:
    """Return the object of comch_next behind an old one of either generation. Raises InvalidValue for other objects."""
    return modern_of(old)
