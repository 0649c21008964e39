"""Child processes with a deadline, for the tools that run programs and read their output."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class ProcessError(Exception):
    """A process ended too early, or not in time; the message shows what it wrote."""


class Ending(NamedTuple):
    """What a process wrote, and how it ended."""

    output: str
    errors: str
    status: int


@contextlib.contextmanager
def running(
    command: Sequence[str], environment: Mapping[str, str], stdin: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that does not outlive the block. stdin: as for Popen; None gives it this program's own."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=environment, cwd=ROOT, bufsize=0, stdin=stdin, stdout=pipe, stderr=pipe)
    with process:
        try:
            yield process
        finally:
            process.kill()


def read_until(process: subprocess.Popen[bytes], word: str, deadline: float) -> str:
    """What the process wrote up to and with the first line that begins with `word`."""
    assert process.stdout is not None
    text = ""
    while True:
        line = _read_line(process.stdout, deadline)
        text += line
        if line.startswith(word):
            return text
        if not line.endswith("\n"):
            told = text + finish(process, deadline).errors
            raise ProcessError(f"{process.args!r} ended before it said {word!r}:\n{told}")


def finish(process: subprocess.Popen[bytes], deadline: float) -> Ending:
    """Wait for the end of a process and of what it wrote, and give what has not been read of it yet."""
    try:
        output, errors = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as late:
        process.kill()  # and no more is read: a child that it leaves behind may hold its pipes for good
        told = _text(late.output or b"") + _text(late.stderr or b"")
        raise ProcessError(f"{process.args!r} did not end in time:\n{told}") from None
    return Ending(_text(output), _text(errors), process.returncode)


def _read_line(stream: IO[bytes], deadline: float) -> str:
    """One line of an unbuffered stream, so that nothing behind it is taken; without a newline at its end."""
    line = b""
    while not line.endswith(b"\n"):
        if not select.select([stream], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise ProcessError(f"only {_text(line)!r} was written in time" if line else "nothing was written in time")
        if not (byte := os.read(stream.fileno(), 1)):
            break
        line += byte
    return _text(line)


def _text(written: bytes) -> str:
    """What a process wrote, which need not be text."""
    return written.decode(errors="backslashreplace")
