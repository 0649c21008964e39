"""The commands run as users run them, and servers and clients for them to find."""

from __future__ import annotations

import json
from typing import Any

from tests.processes import SOON_S, Child, StartPython

COUNTERS = ("sent_messages", "sent_bytes", "recv_messages", "recv_bytes")

# Says "up" once it serves, answers every message with itself twice; "bye" drops its sender, "end" stops the server.
SERVE = """
import sys
import comch_next as comch
name, representor = sys.argv[1:]
server = comch.Server(comch.open_device("03:00.0"), representor, name)
server.listen()
print("up", flush=True)
for message in server:
    if message.data == b"end":
        break
    if message.data == b"bye":
        server.disconnect(message.connection)
    else:
        message.reply(message.data * 2)
server.close()
print("left", flush=True)
"""

# Sends what it is told, line by line, and waits for each answer; leaves when its input or the server ends.
CALL = f"""
import contextlib
import sys
import comch_next as comch
name, device = sys.argv[1:]
with comch.open_device(device) as opened, contextlib.closing(comch.Client(opened, name)) as client:
    client.connect(timeout={SOON_S})
    print("up", flush=True)
    try:
        for line in sys.stdin:
            client.connection.send(line.strip().encode())
            print("answer", client.receive(timeout={SOON_S}).data, flush=True)
    except comch.Shutdown:
        pass
print("left", flush=True)
"""


def serve(start_python: StartPython, name: str = "svc", representor: str = "b1:00.0", **options: Any) -> Child:
    """A process with a server that is up."""
    return up(start_python("-c", SERVE, name, representor, **options))


def call(start_python: StartPython, name: str = "svc", device: str = "b1:00.0", **options: Any) -> Child:
    """A process with a client that is connected."""
    return up(start_python("-c", CALL, name, device, **options))


def up(child: Child) -> Child:
    child.wait_for("up")
    return child


def run(start_python: StartPython, *arguments: str, **options: Any) -> str:
    """What a command says; it must succeed in silence."""
    finished = start_python("-m", "comch_next", *arguments, **options).finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout


def ask(start_python: StartPython, command: str, **options: Any) -> dict[str, list[Any]]:
    """The same as JSON."""
    found: dict[str, list[Any]] = json.loads(run(start_python, command, "--json", **options))
    return found
