"""`python -m migrate verify`: prepares both sides, runs them, prints the verdict."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from migrate._output import complain, put
from migrate.files import FileError
from migrate.report.run import Exit
from migrate.report.text import Line
from migrate.verify import report, trees
from migrate.verify.options import Settings, read_options
from migrate.verify.rounds import Rounds
from migrate.verify.stage import Stage
from migrate.verify.verdict import Result


def main(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    settings = read_options(arguments)
    try:
        result = verify(settings)
    except (FileError, OSError) as error:
        complain([Line(f"python -m migrate verify: {error}", "red")])
        return Exit.FILES
    put((report.to_json if settings.json else report.text)(result).encode("utf-8", "backslashreplace"))
    return result.verdict


def verify(settings: Settings) -> Result:
    """Verify a program in a temporary directory, which is gone afterwards."""
    scripts = [peer.script for peer in settings.peers]
    with tempfile.TemporaryDirectory(prefix="verify-") as folder:
        home = Path(folder).resolve()
        if len(settings.roots) == 2:
            sides = trees.given(*settings.roots, scripts, home)
        else:
            sides = trees.migrated(settings.roots[0], scripts, home, settings.options)
        stage = Stage(sides, settings.peers, settings.limits, home)
        return Rounds(stage, settings.faults, settings.times).result()
