"""Where the output of a run goes: standard output, a file, standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TextIO

from migrate._options import Settings
from migrate.report import text
from migrate.report.run import Run
from migrate.report.text import Line


class OutputError(Exception):
    """Something that could not be printed, and why."""


def complain(lines: Iterable[Line]) -> None:
    """Print lines to standard error; if it is closed, they are lost."""
    try:
        _write(sys.stderr, _encoded(lines, _is_terminal(sys.stderr) and _may_colour()))
    except OSError:
        _silence(sys.stderr)


def put(data: bytes, output: Path | None = None) -> None:
    """Print to standard output, or write to a file. A closed reader is not an error."""
    try:
        if output is not None:
            output.write_bytes(data)
        else:
            _write(sys.stdout, data)
    except BrokenPipeError:
        _silence(sys.stdout)
    except OSError as error:
        if output is None:
            _silence(sys.stdout)
        raise OutputError(f"{output or 'standard output'}: cannot be written: {error.strerror}") from error


def rendered(run: Run, settings: Settings) -> bytes:
    """Return the report of a run, as its settings ask for it."""
    if settings.format != "text":
        return document(run, settings.format)
    is_terminal = settings.output is None and _is_terminal(sys.stdout)
    coloured = is_terminal and _may_colour()
    diffs = b"".join(_diffs(run, coloured) if settings.action == "diff" else ())
    if is_terminal and settings.action != "check":
        from migrate.report import terminal  # it takes as long to load as all the rest

        return diffs + _bytes(terminal.text(run, sys.stdout))
    lines = [Line(run.summary())] if settings.action == "check" else text.lines(run)
    return diffs + _encoded(lines, coloured)


def document(run: Run, form: str) -> bytes:
    """Return the report of a run in one of the formats, for a file."""
    if form == "text":
        return _encoded(text.lines(run), coloured=False)
    made: str = import_module(f"migrate.report.{form}").text(run)  # few runs ask for one of these
    return _bytes(made)


def _diffs(run: Run, coloured: bool) -> Iterator[bytes]:
    from migrate.report.diff import diff

    for outcome in run.outcomes:
        if outcome.changed:
            lines = diff(run, outcome)
            yield _encoded(map(text.diff_line, lines), True) if coloured else b"".join(lines)


def _encoded(lines: Iterable[Line], coloured: bool) -> bytes:
    return _bytes("".join(f"{line.shown(coloured)}\n" for line in lines))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _may_colour() -> bool:
    return not os.environ.get("NO_COLOR")


def _write(stream: TextIO | None, data: bytes) -> None:
    if stream is not None:  # None: the descriptor was closed before Python started
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()


def _silence(stream: TextIO) -> None:
    """Make the flush at the end of the process succeed."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, stream.fileno())
    os.close(nothing)
