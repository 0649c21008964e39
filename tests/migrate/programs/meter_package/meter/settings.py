"""What can be set, on the command line or in the environment."""
from __future__ import annotations

import dataclasses
import os
import typing

import doca_comm_channel as cc


@dataclasses.dataclass
class Settings:
    service: str = "meter"
    device: str = "03:00.0"
    representor: str = "b1:00.0"
    message_size: int = 256
    queue_size: int = 16
    flags: int = 0
    retry_on: tuple[type[cc.DocaError], ...] = (cc.Again,)
    plugins: list[str] = dataclasses.field(default_factory=lambda: ["text", "numbers"])

    @classmethod
    def from_environment(cls, **overrides: typing.Any) -> Settings:
        known = {field.name for field in dataclasses.fields(cls)}
        given = {name: os.environ["METER_" + name.upper()] for name in known if "METER_" + name.upper() in os.environ}
        return cls(**{**given, **overrides})

    def apply(self, ep: cc.Endpoint) -> cc.Endpoint:
        ep.set_max_msg_size(self.message_size)
        ep.set_send_queue_size(self.queue_size)
        ep.set_recv_queue_size(self.queue_size)
        return ep
