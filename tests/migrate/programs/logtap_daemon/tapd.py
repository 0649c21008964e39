"""tapd: collects log records of the host over the comm channel and keeps the grave ones.

    tapd.py [--config FILE] [--level LEVEL]
"""
import argparse
import collections
import configparser
import json
import logging
import os
import signal
import sys
import time

import doca_comm_channel
from doca_comm_channel import Endpoint, DocaError

log = logging.getLogger("tapd")


class Settings(object):
    def __init__(self, path):
        self.parser = configparser.ConfigParser()
        if not self.parser.read(path):
            raise FileNotFoundError(path)
        self.tap = self.parser["tap"]

    def queue(self, which):
        return self.parser.getint("queues", which, fallback=8)

    @property
    def keep(self):
        return logging.getLevelName(self.parser.get("logging", "keep"))


class PeerStats:
    __slots__ = ("name", "records", "kept")

    def __init__(self, name):
        self.name = name
        self.records = 0
        self.kept = 0


class TapDaemon:
    def __init__(self, settings):
        self.settings = settings
        self.stats = {}
        self.kept = collections.deque(maxlen=4)
        self.endpoint = None
        self._running = True
        signal.signal(signal.SIGTERM, self.stop)
        signal.signal(signal.SIGINT, self.stop)

    def stop(self, signum=None, frame=None):
        self._running = False

    def open(self):
        tap = self.settings.tap
        self.device = doca_comm_channel.open_device(tap["device"])
        self.representor = self.device.open_representor(tap["representor"])
        endpoint = Endpoint()
        endpoint.set_device(self.device)
        endpoint.set_device_rep(self.representor)
        endpoint.set_max_msg_size(tap.getint("max_message"))
        endpoint.set_send_queue_size(self.settings.queue("send"))
        endpoint.set_recv_queue_size(self.settings.queue("recv"))
        try:
            endpoint.listen(tap["service"])
        except DocaError as exc:
            log.critical("cannot listen as %s: %s", tap["service"], exc.name)
            endpoint.destroy()
            raise SystemExit(2)
        self.endpoint = endpoint
        log.info("listening as %s, messages of %d, queues of %d and %d", tap["service"], endpoint.get_max_msg_size(),
                 endpoint.get_send_queue_size(), endpoint.get_recv_queue_size())

    def close(self):
        if self.endpoint is not None:
            self.endpoint.destroy()
        self.representor.close()
        self.device.close()

    def handle(self, record, peer):
        kind = record.pop("kind")
        handler = getattr(self, "on_" + kind, None)
        if handler is None:
            log.warning("what is %r?", kind)
            return
        handler(peer, **record)

    def on_hello(self, peer, name):
        self.stats[peer] = PeerStats(name)
        peer.set_user_data(len(self.stats))
        log.info("tap %d: %s", peer.get_user_data(), name)

    def on_record(self, peer, level, text):
        stats = self.stats[peer]
        stats.records += 1
        if level >= self.settings.keep:
            stats.kept += 1
            self.kept.append(text)
            log.log(level, "%s: %s", stats.name, text)

    def on_report(self, peer):
        stats = self.stats[peer]
        peer.update_info()
        answer = {"records": stats.records, "kept": stats.kept, "messages": peer.get_recv_messages(),
                  "last": list(self.kept)}
        self.reply(peer, answer)

    def on_quit(self, peer):
        log.info("%s quits", self.stats.pop(peer).name)
        self.reply(peer, {"bye": True})
        if not self.stats:
            self.stop()

    def reply(self, peer, answer):
        payload = json.dumps(answer, sort_keys=True).encode("utf-8")
        for _ in range(1000):
            try:
                return self.endpoint.sendto(payload, peer)
            except doca_comm_channel.Again:
                time.sleep(0.001)
        log.error("reply to %s dropped", self.stats[peer].name)

    def run(self):
        idle = self.settings.tap.getint("idle_ms") / 1000.0
        last = time.monotonic()
        while self._running:
            try:
                payload, peer = self.endpoint.recvfrom(self.endpoint.get_max_msg_size())
            except doca_comm_channel.Again:
                if time.monotonic() - last > idle:
                    log.error("idle")
                    return 1
                time.sleep(0.0002)
                continue
            last = time.monotonic()
            try:
                record = json.loads(payload)
            except ValueError:
                log.warning("%d bytes of nonsense from tap %d", len(payload), peer.get_user_data())
                continue
            self.handle(record, peer)
        return 0


def setup_logging(level):
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(levelname)-8s %(name)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(level)
    log.propagate = False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "tap.ini"))
    parser.add_argument("--level", default="info", type=str.upper)
    args = parser.parse_args()
    setup_logging(args.level)
    daemon = TapDaemon(Settings(args.config))
    daemon.open()
    try:
        return daemon.run()
    finally:
        daemon.close()
        log.debug("closed")


if __name__ == "__main__":
    sys.exit(main())
