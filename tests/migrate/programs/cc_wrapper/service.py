"""Sums the numbers of each request."""

import json

from net import Listener


class Summing(Listener):
    depth = 2
    done = False

    def opened(self):
        print("listening", flush=True)

    def received(self, connection, data):
        request = json.loads(data)
        self.send(connection, json.dumps({"id": request["id"], "sum": sum(request["numbers"])}).encode())

    def left(self, connection):
        self.done = not self.peers


service = Summing("03:00.0", "b1:00.0", "sums")
service.start()
while not service.done:
    service.turn()
print(*service.close())
