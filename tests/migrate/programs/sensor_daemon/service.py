#!/usr/bin/env python3
"""Daemon on the DPU that answers readings of its sensors until it is asked to stop."""
import json
import logging
import signal
import sys
import time
from typing import Optional

import doca_comm_channel

log = logging.getLogger("sensord")


class Sensors:
    """What the board measures; fixed here, so that runs compare."""

    def __init__(self):
        self._values = {"temp": 41, "fan": 2600, "power": 75}

    def read(self, name):
        return self._values[name]

    def close(self):
        log.info("sensors closed")


class Daemon:
    MAX_MSG = 512
    IDLE_LIMIT_S = 60

    def __init__(self, pci: str, rep_pci: str, name: str) -> None:
        self.name = name
        self.running = True
        self.sensors = Sensors()
        self.device = doca_comm_channel.open_device(pci)
        self.rep = self.device.open_representor(rep_pci)
        self.endpoint = doca_comm_channel.Endpoint()
        self.peer: Optional[doca_comm_channel.PeerAddr] = None
        self.requests = 0

    def start(self) -> None:
        self.endpoint.set_device(self.device)
        self.endpoint.set_device_rep(self.rep)
        self.endpoint.set_max_msg_size(self.MAX_MSG)
        self.endpoint.listen(self.name)
        log.info("listening on %s", self.name)

    def on_signal(self, signum, frame) -> None:
        self.running = False

    def _next_request(self):
        give_up = time.monotonic() + self.IDLE_LIMIT_S
        while self.running:
            try:
                data, self.peer = self.endpoint.recvfrom(self.MAX_MSG)
                return json.loads(data)
            except doca_comm_channel.Again:
                if time.monotonic() > give_up:
                    log.error("idle for too long")
                    self.running = False
                time.sleep(0.0001)
            except doca_comm_channel.ConnectionReset as lost:
                log.warning("a client was lost")
                self.endpoint.disconnect(lost.connection)
        return None

    def _reply(self, **fields) -> None:
        data = json.dumps(fields, sort_keys=True).encode()
        while self.running:
            try:
                return self.endpoint.sendto(data, self.peer)
            except doca_comm_channel.Again:
                time.sleep(0.0001)

    def serve(self) -> int:
        while (request := self._next_request()) is not None:
            self.requests += 1
            op = request["op"]
            log.info("request %d: %s", self.requests, op)
            if op == "stop":
                self._reply(ok=True, served=self.requests)
                return 0
            try:
                self._reply(ok=True, value=self.sensors.read(request["name"]))
            except KeyError as missing:
                log.warning("no sensor %s", missing)
                self._reply(ok=False)
        return 1

    def close(self) -> None:
        self.sensors.close()
        self.endpoint.destroy()
        self.rep.close()
        self.device.close()
        log.info("closed")


def main() -> int:
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    daemon = Daemon("03:00.0", "b1:00.0", "sensord")
    signal.signal(signal.SIGTERM, daemon.on_signal)
    try:
        daemon.start()
        return daemon.serve()
    except doca_comm_channel.DocaError as error:
        log.critical("%s", error.name)
        return 2
    finally:
        daemon.close()


if __name__ == "__main__":
    sys.exit(main())
