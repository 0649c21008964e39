"""The client, on the host (old guide: Client)."""

from __future__ import annotations

import comch_next as comch
from comm_channel_compat._devices import Device
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc._arguments import unwrap
from comm_channel_compat.cc._control import Control, service_name
from comm_channel_compat.cc.connection import Connection, known

__all__ = ["Client"]


@old_call("doca_cc_client_")
class Client(Control):
    """It reaches one server, by the name and through its own device (C: struct doca_cc_client)."""

    @old_call("doca_cc_client_create")
    def __init__(self, dev: Device, name: str) -> None:
        super().__init__(comch.Client(unwrap(dev, Device, "dev"), service_name(name)), dev)

    def get_connection(self) -> Connection:
        """Return the client's connection. Raises BadState unless started."""
        return known(self.modern.connection, self)
