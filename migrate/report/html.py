"""The report as one HTML page that needs nothing else: the text report, and every file's diff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from migrate.report.diff import diff
from migrate.report.run import Run, printable
from migrate.report.text import Line, diff_line, ending, file_lines, problems

_STYLE = """
body { font: 16px/1.5 sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
pre { background: #f6f6f6; overflow-x: auto; padding: .5em; }
.bold { font-weight: bold; } .red { color: #a00; } .green { color: #060; } .yellow { color: #850; }
.cyan { color: #066; }
"""


def text(run: Run) -> str:
    """Return the page."""
    body = "\n".join(_body(run))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>migrate</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>migrate</h1>\n{body}\n</body>\n</html>\n"
    )


def _body(run: Run) -> Iterator[str]:
    yield _block(ending(run))
    if run.problems:
        yield f"<h2>Problems</h2>\n{_block(problems(run))}"
    for outcome in run.outcomes:
        if outcome.findings or outcome.changed:
            yield f"<h2>{_shown(run.name(outcome.path))}</h2>\n{_block(file_lines(run, outcome))}"
            if outcome.changed:
                yield f"<details><summary>changes</summary>\n{_block(map(diff_line, diff(run, outcome)))}\n</details>"


def _block(lines: Iterable[Line]) -> str:
    spans = (f'<span class="{line.style}">{_shown(line.text)}</span>' for line in lines)
    return f"<pre>{chr(10).join(spans)}</pre>"


def _shown(line: str) -> str:
    return escape(printable(line))
