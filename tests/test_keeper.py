"""A test run that is killed takes along all that it has started, and what that has started in turn."""

from __future__ import annotations

import os
import select

from tests.processes import SOON_S, StartPython

_RUN = """
import os, signal, subprocess, sys
os.environ.pop("TEST_RUN", None)
from tests import keeper
keeper.keep()
sleep = "import signal; signal.pause()"
below = f"import subprocess as s, sys; print(s.Popen([sys.executable, '-c', {sleep!r}], stdout=s.DEVNULL).pid)"
ids = [subprocess.Popen([sys.executable, "-c", sleep], start_new_session=True).pid]
ids.append(int(subprocess.check_output([sys.executable, "-c", below], stderr=subprocess.DEVNULL)))
print("running", *ids, flush=True)
signal.pause()
"""


def test_what_a_killed_run_has_started_is_ended(start_python: StartPython) -> None:
    """In another session, and as an orphan."""
    run = start_python("-c", _RUN)
    descriptors = [os.pidfd_open(int(pid)) for pid in run.wait_for("running").split()[1:]]
    assert select.select(descriptors, [], [], 0)[0] == []
    run.process.kill()
    for descriptor in descriptors:
        assert select.select([descriptor], [], [], SOON_S)[0] == [descriptor]
        os.close(descriptor)
