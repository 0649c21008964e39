"""What a failed test has left is gone before the next one; a test that has not failed closes all itself."""

from __future__ import annotations

from pathlib import Path

import comch_next as comch
from comch_next.pull import PullPort
from tests.leftovers import close_leftovers
from tests.processes import ROOT, SOON_S, StartPython, Threads

CARELESS = """
import subprocess, sys, threading
import comch_next as comch
from comch_next.pull import PullPort

def test_one(start_python):
    server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
    PullPort(server, threaded=True)
    server.listen()
    start_python("-c", "import time; time.sleep(100)")
    assert threading.active_count() == 0

def test_two():
    assert threading.active_count() == 1
"""


def test_a_failed_test_does_not_spoil_the_next(start_python: StartPython, tmp_path: Path) -> None:
    (tmp_path / "test_careless.py").write_text(CARELESS)
    options = ("-p", "tests.conftest", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), "--tb=short", "-q")
    done = start_python("-m", "pytest", *options, str(tmp_path)).finish()
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("1 failed, 1 passed"), done.stdout


def test_everything_is_closed(threads: Threads) -> None:
    host = comch.open_device("b1:00.0")
    engine = comch.ProgressEngine()
    server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc", engine=engine)
    PullPort(server, threaded=True)
    server.listen()
    client = comch.Client(host, "svc")
    client.connect(timeout=SOON_S)
    assert threads() > 0
    close_leftovers()
    assert threads() == 0
    for closed in (client, server):
        assert comch.outcome(closed.start)[0] is not comch.ErrorCode.SUCCESS
    assert comch.outcome(engine.progress)[0] is not comch.ErrorCode.SUCCESS
