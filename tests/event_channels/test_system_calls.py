"""A wake-up costs little more than a raw socket's, which makes three system calls: a wait, a read and a write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.preloaded import preloadable
from tests.processes import python

SOURCE = Path(__file__).with_name("system_calls.c")
ROUNDS = 200

ENGINE = """
from tests.control_path.pair import leave, pair
there, here = pair()
sides = {side.engine.notification_handle: side for side in (there, here)}

def wake(side):
    side.engine.clear_notification()
    while side.engine.progress():
        pass
    side.send(side.messages.pop(), side.connection)
    side.engine.progress()
    side.engine.request_notification()

for side in sides.values():
    while side.engine.progress():
        pass
    side.engine.request_notification()
here.send(b"ping")
here.engine.progress()
"""

PORT = """
from tests.compat import support
old = support.Pair()
peers = {old.service: old.introduce(), old.client: old.to_service}
sides = {endpoint.get_event_channel()[1]: endpoint for endpoint in peers}

def wake(endpoint):
    message, peer = endpoint.recvfrom(64)
    endpoint.sendto(message, peer)
    endpoint.event_handle_arm_recv()

for endpoint in peers:
    endpoint.event_handle_arm_recv()
old.client.sendto(b"ping", old.to_service)
"""

LOOP = """
import ctypes, json, select
system_calls = ctypes.CDLL(None).system_calls
pollers = {fd: select.epoll() for fd in sides}
for fd, poller in pollers.items():
    poller.register(fd, select.EPOLLIN)
found = []
for _ in range(ROUNDS):
    for fd, poller in pollers.items():
        before = system_calls()
        if poller.poll(0.2):
            wake(sides[fd])
            found.append(system_calls() - before)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return preloadable(SOURCE, tmp_path_factory.mktemp("counter"))


@pytest.mark.parametrize(("ends", "most"), [(ENGINE, 3), (PORT, 4)], ids=["engine", "port"])
def test_a_wake_up_makes_few_system_calls(counter: Path, ends: str, most: int) -> None:
    """The fewest of many: now and then bells are emptied, and sockets polled."""
    ended = python("-c", f"ROUNDS = {ROUNDS}\n{ends}{LOOP}", env={"LD_PRELOAD": str(counter)}, fresh=True).finish()
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert len(found) > ROUNDS
    assert 3 <= min(found) <= most, sorted(found)
