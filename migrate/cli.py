"""The command line: its words, its exit status, and its messages when it is wrong or interrupted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from migrate._installed import NOT_AVAILABLE, NotInstalled, check_installed
from migrate._options import USAGE, UsageError, read_options, split_evidence
from migrate._output import complain, put
from migrate.report.run import Exit, counted
from migrate.report.text import Line

__all__ = ["Exit", "main"]

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    written: set[Path] = set()
    try:
        if given[:1] == ["explain"]:
            return _explain(given[1:])
        if given[:1] == ["verify"]:
            check_installed()
            from migrate.verify.command import main as verify  # here: it loads the rewriter

            return verify(given[1:])
        settings = read_options(given)
        check_installed()
        from migrate._command import Command  # here: --help, --version and a wrong command line end before it

        return Command(settings, written).run()
    except UsageError as error:
        command = " verify" if given[:1] == ["verify"] else ""
        complain([Line(f"python -m migrate{command}: {error}")])
        return USAGE
    except NotInstalled as error:
        complain([Line(f"python -m migrate: {error}")])
        return NOT_AVAILABLE
    except KeyboardInterrupt:
        done = f"; {counted(len(written), 'file')} written" if written else ""
        complain([Line(f"python -m migrate: interrupted{done}")])
        return INTERRUPTED


def _explain(given: Sequence[str]) -> int:
    subjects, evidence = split_evidence(given)
    if not subjects:
        raise UsageError("explain takes codes (CCM###), old names, or FILE:LINE")
    status = Exit.CLEAN
    pages = []
    for subject in subjects:
        path, colon, line = subject.rpartition(":")
        if colon and line.isdecimal():
            check_installed()
            from migrate import explain
            from migrate._command import Command
            from migrate.files import project_of

            project = project_of(Path(path).absolute())  # what a run over all of it finds, not over this file alone
            command = Command(read_options([*evidence, path, *([str(project)] if project else [])]), set())
            run = command.look()
            pages.append(explain.place(run, command.settings.paths[0], int(line)))
            status |= run.status & (Exit.FILES | Exit.INTERNAL)
        else:
            pages.append(_page(subject))
    put("\n\n".join(pages).encode("utf-8", "backslashreplace") + b"\n")
    return status


def _page(subject: str) -> str:
    from migrate import explain
    from migrate.codes import CODES

    page = explain.page(subject.upper()) if subject.upper() in CODES else explain.symbol(subject)
    if page is None:
        raise UsageError(f"explain does not know {subject}; it takes codes ({min(CODES)} ...), old names, or FILE:LINE")
    return page
