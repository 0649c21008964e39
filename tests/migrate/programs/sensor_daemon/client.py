#!/usr/bin/env python3
"""Ask the daemon for its sensors, one that it does not have among them, then stop it."""
import json
import sys
import time

from doca_comm_channel import Again, ConnectionInprogress, DocaError, Endpoint, open_device


class SensorClient:
    def __init__(self, pci, timeout=60.0):
        self.timeout = timeout
        self.dev = open_device(pci)
        self.ep = Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_max_msg_size(512)
        self.peer = None

    def connect(self, name):
        self.peer = self.ep.connect(name)
        self._until(lambda: self.peer.update_info(), ConnectionInprogress)
        return self

    def _until(self, call, busy):
        end = time.monotonic() + self.timeout
        while True:
            try:
                return call()
            except busy:
                if time.monotonic() > end:
                    raise TimeoutError("the daemon does not answer") from None
                time.sleep(1e-4)

    def ask(self, **request):
        message = json.dumps(request).encode()
        self._until(lambda: self.ep.sendto(message, self.peer), Again)
        data, _ = self._until(lambda: self.ep.recvfrom(512), Again)
        return json.loads(data)

    def close(self):
        if self.peer is not None:
            self.ep.disconnect(self.peer)
        self.ep.destroy()
        self.dev.close()


def main():
    client = SensorClient("b1:00.0")
    try:
        client.connect("sensord")
        for name in ("temp", "fan", "humidity", "power"):
            answer = client.ask(op="read", name=name)
            print(name, "=", answer.get("value", "unknown"))
        print("served", client.ask(op="stop")["served"])
    except TimeoutError as error:
        print(error)
        return 3
    except DocaError as error:
        print("failed:", error.name)
        return 1
    finally:
        client.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
