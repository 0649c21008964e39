"""`python -m migrate verify`: prepares both sides, runs them, prints the verdict."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from migrate._output import OutputError, complain, put
from migrate._progress import Progress
from migrate.files import FileError
from migrate.report.run import Exit
from migrate.report.text import Line
from migrate.verify import report, trees
from migrate.verify.kept import Keeper
from migrate.verify.options import Settings, read_options
from migrate.verify.rounds import Rounds, Runner
from migrate.verify.stage import Stage
from migrate.verify.verdict import Result

_BY_SIGNAL = 128  # and its number: the exit status of a command that a signal ended, as a shell tells it


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    settings = read_options(arguments)
    try:
        result = verify(settings)
    except (FileError, OSError) as error:
        complain([Line(f"python -m migrate verify: {error}", "red")])
        return Exit.FILES
    try:
        for form, path in settings.reports:
            put(_document(result, form), path)
        put(_document(result, "json" if settings.json else "text"))
    except OutputError as error:
        complain([Line(str(error), "red")])
        return Exit.FILES
    return result.verdict


def _document(result: Result, form: str) -> bytes:
    if form == "page":
        from migrate.verify import page  # few runs ask for it

        return page.text(result).encode("utf-8", "backslashreplace")
    return {"text": report.text, "json": report.to_json}[form](result).encode("utf-8", "backslashreplace")


def verify(settings: Settings) -> Result:
    """Verify a program in a temporary directory, which is gone afterwards; `kept` has what is left."""
    scripts = [peer.old.path for peer in settings.peers]
    with tempfile.TemporaryDirectory(prefix="verify-") as folder:
        home = Path(folder).resolve()
        if len(settings.roots) == 2:
            sides = trees.given(*settings.roots, scripts, home)
        else:
            sides = trees.migrated(settings.roots[0], scripts, home, settings.options, settings.excluded)
        stage: Runner = Stage(sides, settings.peers, settings.limits, home)
        if settings.keep is not None:
            stage = Keeper(stage, settings.keep)
        progress = Progress()
        try:
            with _leaving_nobody():
                return Rounds(
                    stage, settings.faults, settings.times, ignored=settings.ignored, progress=progress
                ).result()
        finally:
            progress.clear()


@contextmanager
def _leaving_nobody() -> Iterator[None]:
    """Let a signal that ends the command end the programs that it has started, too."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(_BY_SIGNAL + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
