"""The service's configuration: dataclasses from TOML-like dicts, checked, and applied to an endpoint."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar, Mapping, Optional

from doca_comm_channel import Device, Endpoint, InvalidValue, Representor, open_device


class ConfigError(ValueError):
    """A field and what is wrong with it."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where = where


@dataclass(frozen=True)
class Limits:
    max_msg_size: int = 1024
    send_queue_size: int = 16
    recv_queue_size: int = 16

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            if not isinstance(getattr(self, item.name), int):
                raise ConfigError(item.name, "not a number")

    def apply(self, ep: Endpoint) -> None:
        try:
            where = "max_msg_size"
            ep.set_max_msg_size(self.max_msg_size)
            where = "send_queue_size"
            ep.set_send_queue_size(self.send_queue_size)
            where = "recv_queue_size"
            ep.set_recv_queue_size(self.recv_queue_size)
        except InvalidValue as error:
            raise ConfigError(where, "out of range") from error


@dataclass
class Service:
    name: str
    device: str = "03:00.0"
    representor: str = "b1:00.0"
    limits: Limits = field(default_factory=Limits)
    tags: list[str] = field(default_factory=list)
    strict: bool = True

    KNOWN: ClassVar[frozenset[str]] = frozenset({"name", "device", "representor", "limits", "tags", "strict"})

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Service:
        unknown = sorted(raw.keys() - cls.KNOWN)
        if unknown:
            raise ConfigError(unknown[0], "unknown")
        values = dict(raw)
        if "limits" in values:
            values["limits"] = Limits(**values["limits"])
        return cls(**values)


@dataclass
class Runtime:
    """What is open; filled by `start`, emptied by `stop`."""

    config: Service
    device: Optional[Device] = None
    representor: Optional[Representor] = None
    endpoint: Optional[Endpoint] = field(default=None, repr=False)

    def start(self) -> Endpoint:
        self.device = open_device(self.config.device)
        self.representor = self.device.open_representor(self.config.representor)
        self.endpoint = Endpoint()
        self.endpoint.set_device(self.device)
        self.endpoint.set_device_rep(self.representor)
        self.config.limits.apply(self.endpoint)
        self.endpoint.listen(self.config.name)
        return self.endpoint

    def stop(self) -> list[str]:
        stopped = []
        if self.endpoint is not None:
            self.endpoint.destroy()
            stopped.append("endpoint")
        for name in ("representor", "device"):
            opened = getattr(self, name)
            if opened is not None:
                opened.close()
                setattr(self, name, None)
                stopped.append(name)
        self.endpoint = None
        return stopped
