#!/usr/bin/env python3
"""Use the depot, have it take its next profile, and use that."""
import os
import signal
import sys
import time

import doca_comm_channel


class Depot:
    def __init__(self, device):
        self.device = device
        self.endpoint = self.peer = None

    def open(self, service, size):
        endpoint = doca_comm_channel.Endpoint()
        endpoint.set_device(self.device)
        endpoint.set_max_msg_size(size)
        self.peer = endpoint.connect(service)
        while True:
            try:
                self.peer.update_info()
            except doca_comm_channel.ConnectionInprogress:
                time.sleep(0.001)
                continue
            break
        self.endpoint = endpoint

    def next(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                message, _ = self.endpoint.recvfrom(4080)
                return message.decode()
            except doca_comm_channel.Again:
                time.sleep(0.001)
        raise TimeoutError("the depot is silent")

    def ask(self, text):
        self.endpoint.sendto(text.encode(), self.peer)
        return self.next()

    def close(self):
        if self.endpoint is not None:
            self.endpoint.disconnect(self.peer)
            self.endpoint.destroy()
            self.endpoint = self.peer = None


def try_put(depot, key, size):
    try:
        print("put", key, depot.ask("PUT %s %s" % (key, "#" * size)))
    except doca_comm_channel.InvalidValue as error:
        print("put", key, error.name)


def main():
    device = doca_comm_channel.open_device("b1:00.0")
    depot = Depot(device)
    depot.open("depot", 64)
    daemon = int(depot.ask("PID"))
    print(depot.ask("MOTTO"))
    try_put(depot, "nail", 20)
    try_put(depot, "beam", 1000)
    print(depot.ask("SELL nail"))
    os.kill(daemon, signal.SIGHUP)
    word, service = depot.next().split()
    print(word, service)
    depot.close()

    depot.open(service, 2048)
    print(depot.ask("MOTTO"))
    try_put(depot, "beam", 1000)
    for key in "nail", "beam", "crane":
        print(key, depot.ask("GET " + key))
    print(depot.ask("STOP"))
    print(depot.next())
    depot.close()
    device.close()


if __name__ == "__main__":
    sys.exit(main())
