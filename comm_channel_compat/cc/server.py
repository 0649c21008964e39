"""The server, on the DPU (old guide: Server)."""

from __future__ import annotations

from collections.abc import Callable

import comch_next as comch
from comm_channel_compat._devices import Device, Representor
from comm_channel_compat._known import current
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc._arguments import function, unwrap
from comm_channel_compat.cc._control import Control, Event, service_name
from comm_channel_compat.cc.connection import Connection

__all__ = ["Server"]

_STATUS_CHANGED = Event("connection_status_changed")
OnChange = Callable[[Event, Connection, bool], object]


@old_call("doca_cc_server_")
class Server(Control):
    """Clients find it by device, representor and name (C: struct doca_cc_server)."""

    @old_call("doca_cc_server_create")
    def __init__(self, dev: Device, repr: Representor, name: str) -> None:  # noqa: A002  # the C name
        modern = unwrap(dev, Device, "dev"), unwrap(repr, Representor, "repr")
        super().__init__(comch.Server(*modern, service_name(name)), dev)
        self._compat_repr = repr

    def get_device_repr(self) -> Representor:
        """Return the representor of the server."""
        representor: Representor = current(self._compat_repr, self.modern.device_rep, Representor)
        return representor

    def event_connection_register(self, connect_event_cb: OnChange, disconnect_event_cb: OnChange) -> None:
        """Call `(event, cc_connection, change_successful)` for each client that connects or disconnects; mandatory."""
        up = function(connect_event_cb, "connect_event_cb")
        down = function(disconnect_event_cb, "disconnect_event_cb")
        self.modern.event_connection_status_changed_register(
            *(self._compat_passing(_STATUS_CHANGED, call) for call in (up, down))
        )
