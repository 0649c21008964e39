"""The command with a rewriter that does what marks in the files say: FRONT_COMMAND ARGUMENTS... runs it as a process.

import doca_comm_channel      becomes comch_next
# manual                      a cause, left to you
# follows                     stays because of the first cause of the group
# evidence                    written with --unsafe
# noted                       a safe finding with a code
# unreadable, # boom, # die   no Python; an exception in the rewriter; the end of its process
# wait                        says "waiting" on standard error and waits for SIGUSR1
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from migrate.outcome import FileOutcome, Finding, Level, Options, Span

FRONT_COMMAND = str(Path(__file__))
OLD, NEW = b"doca_comm_channel", b"comch_next"
Cause = tuple[Path, Span]

_MARKS = {
    b"# manual": ("CCM033", Level.MANUAL),
    b"# follows": ("CCM003", Level.MANUAL),
    b"# evidence": ("CCM083", Level.NEEDS_EVIDENCE),
    b"# noted": ("CCM061", Level.SAFE),
}


def rewrite_project(
    files: Mapping[Path, bytes], *, context: Mapping[Path, bytes], options: Options
) -> list[FileOutcome]:
    """Do what the marks say, and note each file of the context in the first outcome."""
    cause = next((place for path, data in files.items() for place in _causes(path, data)), None)
    outcomes = [_one(path, data, cause, options) for path, data in files.items()]
    noted = tuple(Finding("context", "", Level.SAFE, path, Span(1, 0, 1, 0), path.name, "read") for path in context)
    first = outcomes[0]
    return [FileOutcome(first.path, first.old, first.new, first.findings + noted, first.skipped), *outcomes[1:]]


def _causes(path: Path, data: bytes) -> Iterator[Cause]:
    for number, line in enumerate(data.splitlines(), 1):
        if b"# manual" in line:
            yield path, Span(number, 0, number, len(line))


def _one(path: Path, data: bytes, cause: Cause | None, options: Options) -> FileOutcome:
    if b"# boom" in data:
        raise RuntimeError("on purpose")
    if b"# die" in data:
        os.kill(os.getpid(), signal.SIGKILL)
    if b"# wait" in data:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})  # it may come before the wait begins
        os.write(2, b"waiting\n")
        signal.sigwaitinfo({signal.SIGUSR1})
    if b"# unreadable" in data:
        return FileOutcome(path, data, data, skipped="CCM001", reason="invalid syntax")
    found: list[Finding] = []
    for number, line in enumerate(data.splitlines(), 1):
        found += _findings(path, Span(number, 0, number, len(line)), line, cause, options)
    return FileOutcome(path, data, data.replace(OLD, NEW), tuple(found))


def _findings(path: Path, span: Span, line: bytes, cause: Cause | None, options: Options) -> Iterator[Finding]:
    if OLD in line:
        yield Finding("import", "", Level.SAFE, path, span, "cc", "", "comch")
    for mark, (code, level) in _MARKS.items():
        if mark in line:
            change = "new" if level is Level.NEEDS_EVIDENCE and options.unsafe else ""
            because = cause if mark == b"# follows" else None
            yield Finding("rule", code, level, path, span, "ep", f"the reason of {code}", change, because)


def install() -> ModuleType:
    """Return a module to stand for migrate.rewriting."""
    module = ModuleType("migrate.rewriting")
    module.rewrite_project = rewrite_project  # type: ignore[attr-defined]
    return module


if __name__ == "__main__":
    sys.modules["migrate.rewriting"] = install()
    from migrate.cli import main

    sys.exit(main())
