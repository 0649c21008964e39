"""Asks for sums, many at once."""

import json

from net import Dialer


class Caller(Dialer):
    def __init__(self):
        super().__init__("b1:00.0", "sums")
        self.answers = {}
        self.ready = False

    def opened(self):
        self.ready = True

    def received(self, connection, data):
        answer = json.loads(data)
        self.answers[answer["id"]] = answer["sum"]


caller = Caller()
caller.start()
while not caller.ready:
    caller.turn()
for number in range(12):
    caller.send(caller.connection, json.dumps({"id": number, "numbers": list(range(number))}).encode())
while len(caller.answers) < 12:
    caller.turn()
print(sorted(caller.answers.items()))
print(*caller.close())
