"""Telemetry daemon: one class per link, reconnect with back-off, logging everywhere."""
import logging
import random
import time

import doca_comm_channel as cc

log = logging.getLogger("telemetryd")


class Backoff:
    def __init__(self, first=1.0, limit=30.0):
        self.first, self.limit = first, limit
        self.reset()

    def reset(self):
        self.delay = self.first

    def wait(self):
        time.sleep(self.delay * (1 + random.uniform(-.1, .1)))
        self.delay = min(self.delay * 2, self.limit)


class Link(object):
    SERVICE = "telemetry"

    def __init__(self, pci_addr, max_msg=4080):
        self._dev = cc.open_device(pci_addr)
        self._ep = None
        self._peer = None
        self.max_msg = max_msg

    def _fresh(self):
        ep = cc.Endpoint()
        ep.set_device(self._dev)
        ep.set_max_msg_size(self.max_msg)
        self._ep = ep

    def connect(self):
        backoff = Backoff()
        for attempt in range(10):
            self._fresh()
            try:
                self._peer = self._ep.connect(self.SERVICE)
                while True:
                    try:
                        self._peer.update_info()
                        return self
                    except cc.ConnectionInprogress:
                        time.sleep(0.001)
            except cc.ConnectionAborted as exc:
                log.warning("attempt %d: %s", attempt, exc)
                self._ep.destroy()
                backoff.wait()
        raise SystemExit("gave up")

    def push(self, record):
        while 1:
            try:
                return self._ep.sendto(record, self._peer)
            except cc.Again:
                time.sleep(1e-5)
            except (cc.ConnectionReset, cc.NotConnected):
                self.connect()

    def __enter__(self):
        return self.connect()

    def __exit__(self, *exc):
        self._ep.disconnect(self._peer)
        self._ep.destroy()
        self._dev.close()


if __name__ == "__main__":
    logging.basicConfig()
    with Link("b1:00.0") as link:
        for i in range(100):
            link.push(b"%d" % i)
