"""What every test gets: a meeting directory of its own, and nothing that an earlier test has left running."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from comch_next import DocaError
from comch_next.driver import _loaded, load
from tests import keeper
from tests.forked import LAUNCHER, ForkedPopen, server
from tests.leftovers import close_leftovers, collected
from tests.processes import READER, Child, StartPython, Threads, python

FAILED = pytest.StashKey[bool]()
OF_THE_SUITE = ("COMCH_STRESS_", "COMCH_FUZZ_")  # settings of tests, not of the library


def pytest_configure() -> None:
    """Begin with the settings of an ordinary shell.

    A shell lets what it starts in the background ignore SIGINT, which children would take over; they interrupt.
    """
    if "COMCH_COMPAT_LIBRARIES" in os.environ:
        raise pytest.UsageError(
            "this shell has the settings of `python -m comm_channel_compat env`, which tests and what they start"
            " would take over: run them in another one"
        )
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # The tests start thousands of interpreters; without byte code each would compile all its modules.
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    keeper.keep()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Start what forks programs, before a test counts descriptors."""
    if any({"start_python", "forked"}.intersection(getattr(item, "fixturenames", ())) for item in session.items):
        for launcher in ((), LAUNCHER):
            server(launcher, "emulated", ())
    _keep_what_is_there()


def _keep_what_is_there() -> None:
    """Have later collections look at what comes from now on only: many tests collect."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember of a test that it has failed, for its teardown."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """A test that fails, in its fixtures too, leaves what it had not closed yet; the others close all themselves.

    What is there at the end of a file is what tests share: rewritten programs, say, or what one of them has thawed.
    """
    try:
        yield
    except BaseException:
        close_leftovers()
        raise
    if item.stash.get(FAILED, False):
        close_leftovers()
    if nextitem is None or nextitem.path != item.path:
        _keep_what_is_there()


@pytest.fixture(autouse=True)
def no_callbacks_of_the_collector() -> Iterator[None]:
    """Hypothesis leaves one in the process that has run a test of its kind; what a signal raises there is lost."""
    before = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks[:] = before


@pytest.fixture(scope="session", autouse=True)
def runtime_dir_of_modules() -> Iterator[None]:
    """What several tests of a module share meets its peers in a directory of this run."""
    with tempfile.TemporaryDirectory(prefix="comch-") as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("COMCH_RUNTIME_DIR", folder)
        yield


@pytest.fixture(autouse=True)
def runtime_dir(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Each test meets its peers in its own directory, with none of the caller's settings."""
    for name in [name for name in os.environ if name.startswith("COMCH_") and not name.startswith(OF_THE_SUITE)]:
        monkeypatch.delenv(name)
    # Not under tmp_path: the name of an AF_UNIX socket has at most 107 bytes.
    folder = tempfile.mkdtemp(prefix="comch-")
    monkeypatch.setenv("COMCH_RUNTIME_DIR", folder)
    with collected():
        yield Path(folder)
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def own_devices(runtime_dir: Path) -> None:
    """No device is open when a test begins: one that an earlier test has left open would count."""
    opened: dict[object, object] = load().devices._open  # type: ignore[attr-defined]
    opened.clear()


@pytest.fixture
def fresh_driver() -> Iterator[None]:
    """The driver is chosen anew in this test, for its settings are read when it is loaded; others keep theirs."""
    before = dict(_loaded)
    _loaded.clear()
    yield
    _loaded.clear()
    _loaded.update(before)


@pytest.fixture
def threads() -> Threads:
    """Count the running threads that this test has started, without those that read what its children say."""
    before = set(threading.enumerate())
    return lambda: sum(thread.name != READER for thread in set(threading.enumerate()) - before)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork what this test starts by way of subprocess, too; it finds what the tests find, without PYTHONPATH.

    What is verified keeps it: there its watcher is.
    """

    def start(*arguments: Any, env: Mapping[str, str] | None = None, **options: Any) -> ForkedPopen:
        given = os.environ if env is None else env
        is_kept = "MIGRATE_WATCH" in given
        options["env"] = {name: given[name] for name in given if name != "PYTHONPATH" or is_kept}
        return ForkedPopen(*arguments, **options)

    monkeypatch.setattr(subprocess, "Popen", start)


@pytest.fixture
def start_python() -> Iterator[StartPython]:
    """Start python processes: `start_python("script.py", "-p", "03:00.0", deadline_s=20)` gives a Child.

    Those that still run when the test ends are killed, each by its own id.
    """
    with ExitStack() as children:

        def start(*arguments: str, **options: object) -> Child:
            child = python(*arguments, **options)
            children.callback(child.kill)
            return child

        yield start


@pytest.fixture
def errors(monkeypatch: pytest.MonkeyPatch) -> list[DocaError]:
    """Every error that is made from here on: a flat function returns its code only."""
    made: list[DocaError] = []
    make = DocaError.__init__

    def note(error: DocaError, *arguments: Any, **options: Any) -> None:
        make(error, *arguments, **options)
        made.append(error)

    monkeypatch.setattr(DocaError, "__init__", note)
    return made
