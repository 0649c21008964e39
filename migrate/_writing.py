"""Writing the files of a run: all of a group, or none when one of them cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from migrate._replacement import Replacement
from migrate.files import FileError
from migrate.outcome import FileOutcome
from migrate.report.run import Exit, Problem


def write(outcomes: Sequence[FileOutcome], written: set[Path]) -> list[Problem]:
    """Write the changed files of one group and add them to `written`.

    They can share handles, so a half-written group could be broken: every new text is ready in its folder before the
    first one replaces its file.
    """
    changed = [outcome for outcome in outcomes if outcome.changed]
    ready: dict[Path, Replacement] = {}
    problems: list[Problem] = []
    with ExitStack() as stack:
        for outcome in changed:
            try:
                ready[outcome.path] = Replacement(outcome.path, outcome.old, outcome.new)
                stack.callback(ready[outcome.path].discard)
            except FileError as error:
                problems.append(Problem(error.path, error.message))
        if problems:
            message = f"is left as it was, because imports connect it with {problems[0].path.name}"
            return problems + [Problem(path, message, Exit.CLEAN) for path in ready]
        for path, replacement in ready.items():
            try:
                replacement.commit()
                written.add(path)
            except FileError as error:
                problems.append(Problem(path, error.message))
    return problems
