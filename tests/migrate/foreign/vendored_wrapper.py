"""Uses our own wrapper, which happens to be called like the library."""
from __future__ import annotations

from typing import Callable

from .vendor import doca_comm_channel
from .vendor.doca_comm_channel import Endpoint as VendorEndpoint

Handler = Callable[[bytes], None]


def run(handler: Handler) -> None:
    ep: VendorEndpoint = VendorEndpoint(retries=5)
    with ep.connection("svc") as conn:
        for msg in conn:
            handler(msg)
    doca_comm_channel.shutdown()
