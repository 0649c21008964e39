"""Both ends of a modern sample as processes, as they are or with a change in their text."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from tests.processes import SOON_S, Child, Finished, StartPython
from tools.side_by_side import MODERN

DEADLINE_S = 2 * SOON_S


def start_service(start: StartPython, sample: str, *arguments: str, folder: Path = MODERN) -> Child:
    """The service, once it listens."""
    service = start(str(folder / f"{sample}_service.py"), *arguments, deadline_s=DEADLINE_S)
    service.wait_for("listening on")
    return service


def start_client(start: StartPython, sample: str, *arguments: str, folder: Path = MODERN) -> Child:
    return start(str(folder / f"{sample}_client.py"), *arguments, deadline_s=DEADLINE_S)


def run_pair(
    start: StartPython, sample: str, service_args: Sequence[str] = (), client_args: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """Both ends to their good end: the lines that service and client told."""
    service = start_service(start, sample, *service_args)
    client = start_client(start, sample, *client_args)
    ended = client.finish(), service.finish()
    told = []
    for finished in ended:
        assert (finished.returncode, finished.stderr) == (0, ""), ended
        told.append(finished.stdout.splitlines())
        assert told[-1][-1] == "result DOCA_SUCCESS"
    return told[1][:-1], told[0][:-1]


def changed(folder: Path, script: str, old: str, new: str) -> Path:
    """A copy of the modern samples in which one script has another text in one place."""
    copy = folder / "changed"
    shutil.copytree(MODERN, copy, ignore=shutil.ignore_patterns("__pycache__"))
    text = (copy / script).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{script} has not got {old!r} once"
    (copy / script).write_text(text.replace(old, new), encoding="utf-8")
    return copy


def assert_refused(finished: Finished, *words: str) -> None:
    """It did not take its arguments, and said what they may be."""
    assert (finished.returncode, finished.stdout) == (2, ""), finished
    assert "error:" in finished.stderr, finished
    assert all(word in finished.stderr for word in words), finished


def assert_failed(finished: Finished, *results: str) -> None:
    """It ended by itself, told the result (one of these), and said in words why."""
    assert finished.returncode == 1, finished
    assert finished.stdout.splitlines()[-1].removeprefix("result ") in results, finished
    assert finished.stderr.strip(), finished
    assert "Traceback" not in finished.stderr, finished
