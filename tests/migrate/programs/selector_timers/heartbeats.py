"""Counts the heartbeats of its clients; who misses one is cut off."""
import sys

import doca_comm_channel as cc
from loop import Loop

CLIENTS = 3


class Monitor:
    def __init__(self, loop):
        self.loop = loop
        self.dev = cc.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_device_rep(self.rep)
        self.ep.set_max_msg_size(64)
        self.ep.listen("heartbeats")
        self.names, self.beats, self.watchdogs = {}, {}, {}
        self.cut = []
        self.giving_up = loop.later(20, loop.stop)
        send, recv = self.ep.get_event_channel()
        loop.watch(recv, self.on_message, self.ep.event_handle_arm_recv)
        loop.watch(self.ep.get_service_event_channel(), self.on_service)

    def snapshot(self):
        self.ep.update_service_state_info()
        return set(self.ep.get_peer_addr_list())

    def sweep(self, here):
        """Forget who is not here any more."""
        for peer in [peer for peer in self.names if peer not in here]:
            self.lost(peer, "left")
        if len(self.beats) == CLIENTS and not self.names:
            self.loop.stop()

    def on_service(self):
        # what somebody sent before he left counts
        here = self.snapshot()
        while self.on_message():
            here = self.snapshot()
        self.sweep(here)

    def on_message(self):
        count = 0
        while True:
            try:
                text, peer = self.ep.recvfrom(64)
            except cc.Again:
                return count
            except cc.ConnectionReset as error:
                if error.connection in self.names:
                    self.lost(error.connection, "died")
                self.ep.disconnect(error.connection)
                continue
            count += 1
            word = text.decode()
            if peer not in self.names:
                self.sweep(self.snapshot())
                self.names[peer] = word
                self.beats[word] = 0
                print(word, "is here")
            else:
                self.beats[self.names[peer]] += 1
            self.rearm(peer, 0.02 if word == "silent" else 10)

    def rearm(self, peer, seconds):
        if peer in self.watchdogs:
            self.watchdogs[peer].cancel()
        self.watchdogs[peer] = self.loop.later(seconds, lambda: self.miss(peer))

    def miss(self, peer):
        name = self.names[peer]
        self.ep.sendto(b"cut", peer)
        self.lost(peer, "missed a beat")
        self.cut.append(name)
        self.ep.disconnect(peer)

    def lost(self, peer, why):
        self.watchdogs.pop(peer).cancel()
        print(self.names.pop(peer), why)

    def close(self):
        self.loop.forget(self.ep.get_event_channel()[1])
        self.loop.forget(self.ep.get_service_event_channel())
        self.giving_up.cancel()
        self.ep.destroy()
        self.rep.close()
        self.dev.close()


def main():
    loop = Loop()
    monitor = Monitor(loop)
    print("listening")
    loop.run()
    for name, count in sorted(monitor.beats.items()):
        print(name, count, "cut" if name in monitor.cut else "")
    monitor.close()
    return 0 if monitor.beats else 3


sys.exit(main())
