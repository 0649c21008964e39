"""A key store whose every knob is in the configuration."""
from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass, field, replace

from config import ConfigError, Limits, Runtime, Service
from doca_comm_channel import Again, DocaError, Endpoint, NotFound, PeerAddr

RAW = {
    "name": "typed_config",
    "limits": {"max_msg_size": 200, "send_queue_size": 8},
    "tags": ["test"],
}


@dataclass
class Store:
    endpoint: Endpoint
    limits: Limits
    values: dict[str, str] = field(default_factory=dict)
    seen: dict[PeerAddr, int] = field(default_factory=dict)

    def reply(self, peer: PeerAddr, text: str) -> None:
        while True:
            try:
                self.endpoint.sendto(text.encode(), peer)
                return
            except Again:
                time.sleep(1e-4)

    def handle(self, peer: PeerAddr, line: str) -> bool:
        self.seen[peer] = self.seen.get(peer, 0) + 1
        key, equals, value = line.partition("=")
        if key == "quit":
            self.reply(peer, f"{self.seen[peer]} requests")
            return False
        if equals:
            self.values[key] = value
        self.reply(peer, f"{key} is {self.values.get(key, 'unset')}")
        return True

    def run(self, seconds: float = 60) -> int:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                line, peer = self.endpoint.recvfrom(self.limits.max_msg_size)
            except Again:
                time.sleep(1e-4)
                continue
            if not self.handle(peer, line.decode()):
                return 0
        return 1


def broken_configurations() -> None:
    good = Service.from_dict(RAW)
    broken = [
        lambda: Service.from_dict({**RAW, "colour": "red"}),
        lambda: Service.from_dict({**RAW, "limits": {"max_msg_size": "big"}}),
        lambda: replace(good, limits=replace(good.limits, max_msg_size=1 << 20)),
        lambda: replace(good, limits=Limits(recv_queue_size=0)),
        lambda: replace(good, device="0d:00.0"),
        lambda: replace(good, representor="b1:00.7"),
        lambda: replace(good, name="n" * 200),
    ]
    for make in broken:
        runtime = None
        try:
            runtime = Runtime(make())
            runtime.start()
        except ConfigError as error:
            print("config:", error)
        except NotFound:
            print("not found:", runtime.config.device, runtime.config.representor)
        except DocaError as error:
            print("doca:", error.name)
        finally:
            if runtime is not None:
                print("  stopped", *runtime.stop())


def main() -> int:
    broken_configurations()
    config = Service.from_dict(RAW)
    runtime = Runtime(config)
    endpoint = runtime.start()
    print("listening:", asdict(config.limits), config.tags)
    print(endpoint.get_max_msg_size(), endpoint.get_send_queue_size(), endpoint is runtime.endpoint)
    status = Store(endpoint, config.limits).run()
    print("stopped", *runtime.stop())
    return status


if __name__ == "__main__":
    sys.exit(main())
