"""Reads the feed to its end, whatever happens to the service."""
import sys
import time

from backoff import pauses
from doca_comm_channel import (
    Again,
    ConnectionAborted,
    ConnectionInprogress,
    ConnectionReset,
    DocaError,
    Endpoint,
    NotConnected,
    TimeOut,
    open_device,
)

RETRYABLE = (ConnectionReset, ConnectionAborted, NotConnected, TimeOut)


class GaveUp(Exception):
    pass


class Reader:
    """One endpoint for all connections; it is configured once and connects as often as it must."""

    patience = 0.02

    def __init__(self, device):
        self.ep = Endpoint()
        self.ep.set_device(device)
        self.peer = None
        self.connects = 0
        self.failures = []

    @property
    def connected(self):
        return self.peer is not None

    def ensure(self):
        if self.connected:
            return self.peer
        last = None
        for pause in pauses():
            try:
                peer = self.ep.connect("stubborn")
            except ConnectionAborted as error:
                last = error
                time.sleep(pause)
                continue
            if self.complete(peer):
                self.peer = peer
                self.connects += 1
                return peer
            self.ep.disconnect(peer)
        raise GaveUp("no service") from last

    def complete(self, peer, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                peer.update_info()
                return True
            except ConnectionInprogress:
                time.sleep(1e-4)
            except ConnectionAborted:
                return False
        return False

    def drop(self, why):
        self.failures.append(type(why).__name__)
        peer, self.peer = self.peer, None
        if peer is not None:
            try:
                self.ep.disconnect(peer)
            except DocaError as error:
                self.failures.append(error.name)

    def ask(self, number):
        """Ask again and again: a service that has fallen shows in what is sent to it."""
        peer = self.ensure()
        end = time.monotonic() + 60
        again = 0.0
        while (now := time.monotonic()) < end:
            if now >= again:
                self.ep.sendto(str(number).encode(), peer)
                again = now + self.patience
            try:
                return self.ep.recvfrom(64)[0].decode()
            except Again:
                time.sleep(1e-4)
        raise TimeOut("no answer")

    def __iter__(self):
        number = 0
        while True:
            try:
                answer = self.ask(number)
            except RETRYABLE as error:
                self.drop(error)
                continue
            if answer == "end":
                return
            at, _, price = answer.partition(":")
            if int(at) == number:
                number += 1
                yield int(price)


device = open_device("b1:00.0")
reader = Reader(device)
best = 0
for price in reader:
    if price > best:
        best = price
        print("new high", price)
print("connects", reader.connects, "failures", reader.failures)
reader.drop(GaveUp())
try:
    reader.ep.recvfrom(64)
except DocaError as error:
    print("after the end:", type(error).__name__)
reader.ep.destroy()
device.close()
sys.exit(0 if best == 105 else 1)
