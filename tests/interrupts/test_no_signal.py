"""Exceptions that no signal brings, such as a debugger's, also come where signals are held back: nothing crashes."""

from __future__ import annotations

from tests.processes import StartPython

PROGRAM = """
import comch_next as comch
from comch_next.driver.emulated import _connection

class Strike(BaseException):
    pass

class Sender(_connection.Sender):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        made.append(self.capacity)
        if len(made) == 2:
            raise Strike

made = []
_connection.Sender = Sender
server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
server.listen()
client = comch.Client(comch.open_device("b1:00.0"), "svc")
client.connect(timeout=0)
comch.outcome(server.receive, timeout=0)
while True:
    try:
        client.engine.progress()
    except Strike:
        break
client.close()
server.close()
print("closed", made[0] == made[1])
"""


def test_a_connection_that_is_struck_while_it_comes_up_is_closed(start_python: StartPython) -> None:
    """The kernel does not know a ring that nobody keeps."""
    child = start_python("-c", PROGRAM)
    child.wait_for("closed True")
    child.succeed()
