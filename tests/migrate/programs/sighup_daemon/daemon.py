#!/usr/bin/env python3
"""A depot on the DPU that keeps what clients leave; SIGHUP takes the next profile."""
import configparser
import dataclasses
import logging
import os
import select
import signal
import sys
from pathlib import Path
from typing import Dict, List, Optional

import doca_comm_channel

PROFILES = Path(__file__).with_name("profiles.ini")
log = logging.getLogger("depot")


@dataclasses.dataclass(frozen=True)
class Profile:
    service: str
    max_message: int
    motto: str

    @classmethod
    def load(cls, number: int) -> "Profile":
        parser = configparser.ConfigParser()
        parser.read(PROFILES)
        section = parser["profile %d" % number]
        return cls(section["service"], section.getint("max_message"), section["motto"])


class Service:
    """A listening endpoint with a profile."""

    def __init__(self, device: doca_comm_channel.Device, representor: doca_comm_channel.Representor, profile: Profile):
        self.profile = profile
        self._endpoint = doca_comm_channel.Endpoint()
        self._endpoint.set_device(device)
        self._endpoint.set_device_rep(representor)
        self._endpoint.set_max_msg_size(profile.max_message)
        self._endpoint.listen(profile.service)
        _, self._fd = self._endpoint.get_event_channel()

    def fileno(self) -> int:
        return self._fd

    def arm(self) -> None:
        self._endpoint.event_handle_arm_recv()

    def requests(self):
        """Yield what has arrived, with its sender."""
        while True:
            try:
                yield self._endpoint.recvfrom(self.profile.max_message)
            except doca_comm_channel.Again:
                return
            except doca_comm_channel.ConnectionReset:
                log.warning("a client has died")

    def reply(self, peer: doca_comm_channel.PeerAddr, text: str) -> None:
        try:
            self._endpoint.sendto(text.encode(), peer)
        except doca_comm_channel.DocaError as error:
            log.error("no answer to %s: %s", peer.get_user_data(), error.name)

    def retire(self, notice: str) -> int:
        """Tell every client to go elsewhere, and end."""
        self._endpoint.update_service_state_info()
        peers: List[doca_comm_channel.PeerAddr] = self._endpoint.get_peer_addr_list()
        for peer in peers:
            self.reply(peer, notice)
            self._endpoint.disconnect(peer)
        self._endpoint.destroy()
        return len(peers)


class Daemon:
    def __init__(self) -> None:
        self.device = doca_comm_channel.open_device("03:00.0")
        self.representor = self.device.open_representor("b1:00.0")
        self.number = 0
        self.service: Optional[Service] = None
        self.store: Dict[str, bytes] = {}
        self.reload = False
        self.running = True
        self.commands = {"PID": self.pid, "GET": self.get, "PUT": self.put, "MOTTO": self.motto, "STOP": self.stop}

    def on_hangup(self, signum, frame) -> None:
        self.reload = True

    def start(self) -> None:
        signal.signal(signal.SIGHUP, self.on_hangup)
        self.service = Service(self.device, self.representor, Profile.load(self.number))

    def next_profile(self) -> None:
        self.reload = False
        self.number += 1
        profile = Profile.load(self.number)
        old, self.service = self.service, Service(self.device, self.representor, profile)
        moved = old.retire("moved " + profile.service)
        print("profile", self.number, "for", moved, "client", flush=True)

    def pid(self, rest: bytes) -> str:
        return str(os.getpid())

    def motto(self, rest: bytes) -> str:
        return self.service.profile.motto

    def get(self, rest: bytes) -> str:
        return "%d bytes" % len(self.store[rest.decode()])

    def put(self, rest: bytes) -> str:
        key, _, value = rest.partition(b" ")
        self.store[key.decode()] = value
        return "ok"

    def stop(self, rest: bytes) -> str:
        self.running = False
        return "bye"

    def answer(self, message: bytes) -> str:
        word, _, rest = message.partition(b" ")
        command = self.commands.get(word.decode())
        if command is None:
            return "what?"
        try:
            return command(rest)
        except KeyError as error:
            return "no %s" % error.args

    def run(self) -> None:
        print("listening", flush=True)
        served = 0
        while self.running:
            if self.reload:
                self.next_profile()
            self.service.arm()
            if not select.select([self.service], [], [], 0.02)[0]:
                continue
            for message, peer in self.service.requests():
                served += 1
                peer.set_user_data(served)
                self.service.reply(peer, self.answer(message))
        print("served", served, "kept", *sorted(self.store))

    def close(self) -> None:
        if self.service is not None:
            self.service.retire("closed")
        self.representor.close()
        self.device.close()


def main() -> int:
    logging.basicConfig(level=logging.INFO)
    daemon = Daemon()
    try:
        daemon.start()
        daemon.run()
    finally:
        daemon.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
