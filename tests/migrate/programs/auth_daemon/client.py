"""Fetches credentials; connects, answers the challenge and goes on where it was whenever the service was lost."""
import hashlib
import hmac
import json
import sys
import time

from doca_comm_channel import (Again, ConnectionAborted, ConnectionInprogress, ConnectionReset, DocaError, Endpoint,
                               NotConnected, open_device)


class Lost(Exception):
    pass


class Client:
    def __init__(self, device, secret):
        self.secret = secret
        self.ep = Endpoint()
        self.ep.set_device(device)
        self.peer = None
        self.connections = 0

    def connect(self):
        pause = 0.02
        for _ in range(10):
            try:
                self.peer = self.ep.connect("auth_daemon")
                self.wait(self.peer.update_info, ConnectionInprogress)
                break
            except ConnectionAborted:
                if self.peer is not None:
                    self.drop()
                time.sleep(pause)
                pause = min(2 * pause, 1)
        else:
            raise SystemExit("no service")
        self.connections += 1
        nonce = self.request(kind="hello")["nonce"]
        digest = hmac.new(self.secret, nonce.encode(), hashlib.sha256).hexdigest()
        return self.request(kind="response", digest=digest)["kind"]

    def drop(self):
        peer, self.peer = self.peer, None
        self.ep.disconnect(peer)

    @staticmethod
    def wait(call, busy, *args, seconds=60):
        end = time.monotonic() + seconds
        while True:
            try:
                return call(*args)
            except busy:
                if time.monotonic() > end:
                    raise Lost from None
                time.sleep(1e-4)

    def request(self, **envelope):
        try:
            self.wait(self.ep.sendto, Again, json.dumps(envelope).encode(), self.peer)
            return json.loads(self.wait(self.ep.recvfrom, Again, 1000)[0])
        except ConnectionReset:
            raise Lost from None

    def restart_service(self):
        """Nothing answers; that it has gone shows in what is sent."""
        self.ep.sendto(b'{"kind": "restart"}', self.peer)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                self.ep.sendto(b'{"kind": "get", "id": 0}', self.peer)
            except Again:
                pass
            except (ConnectionReset, NotConnected):
                return self.drop()
            time.sleep(1e-3)
        raise SystemExit("the service does not end")


def main():
    with open_device("b1:00.0") as device:
        stranger = Client(device, b"guess")
        print("stranger:", stranger.connect(), stranger.request(kind="get", id=1)["kind"])
        client = Client(device, b"not a secret")
        print("client:", client.connect(), client.request(kind="get", id=2)["generation"])
        client.restart_service()
        print("client:", client.connect(), client.request(kind="get", id=3)["generation"])
        try:
            for _ in range(100):
                stranger.request(kind="get", id=4)
        except Lost:
            print("stranger: lost")
        print(client.request(kind="end")["kind"], client.connections, stranger.connections)
        for each in (stranger, client):
            try:
                each.drop()
            except DocaError as error:
                print(error.name)
            each.ep.destroy()
    return 0


if __name__ == "__main__":
    sys.exit(main())
