"""Interpreters that share a process and its lock, as those of a web server's applications do."""

from __future__ import annotations

import pytest

from tests.processes import StartPython

PROGRAM = """
import sys
import comch_next
try:
    import _interpreters as interpreters
    other = interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    other = interpreters.create(isolated=False)
failed = interpreters.run_string(other, sys.argv[1])
assert failed is None, failed
interpreters.destroy(other)
"""

# A send that has arrived when its connection ends, and one that is written at once.
OTHER = """
import sys
sys.path.insert(0, "")
from tests.control_path.pair import leave, pair, until
from tests.fast_path.lane import Lane
there, here = pair()
here.engine.max_events = {most}
here.send(b"x")
until(lambda: there.messages, there.engine)
here.context.stop()
until(lambda: here.done or here.failed, here.engine)
print(len(here.done), len(here.failed), flush=True)
leave(here, there)
lane = Lane().run()
lane.outbox.producer.engine.max_events = lane.inbox.consumer.engine.max_events = {most}
lane.inbox.post()
lane.outbox.send(lane.inbox.consumer.id, b"x")
lane.until(lambda: lane.outbox.sent and lane.inbox.received)
print(lane.outbox.sent, lane.inbox.failed, flush=True)
lane.close()
"""


@pytest.mark.parametrize("most", [None, 1])
def test_a_success_is_one_in_each_of_them(start_python: StartPython, most: int | None) -> None:
    done = start_python("-c", PROGRAM, OTHER.format(most=most)).finish()
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "1 0\n1 []\n")
