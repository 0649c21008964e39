"""What `python -m migrate explain` prints: a code's page, an old name's fate, what was found at a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from migrate.codes import CODES
from migrate.old_api._tables import ALIASES, FUNCTIONS, RENAMES
from migrate.outcome import Finding
from migrate.report.run import Run, stays

FOLDER = Path(__file__).parent / "rules"
# What `comm_channel_compat run --report FILE.json` has of a program, and what that is good for.
_OBSERVATIONS = {
    "names": "the names that were read from the old module",
    "handles": "the handles that calls got, and where these were made",
    "uses": "every call that handles were given to",
    "results": "the results of calls",
    "callbacks": "which calls came from callbacks",
}
_RUNS = {
    "settles": "can settle it, by {}: run migrate with --evidence FILE.json.",
    "supports": "shows something of it, by {}, but you decide.",
}
_CASE, _OUTPUT = "# case:", "# output"
_GENERATIONS = {"comm_channel": "generation 1", "comm_channel_1x": "DOCA 1.2 - 1.4", "cc": "generation 2"}


@dataclass(frozen=True)
class Case:
    """One golden case: `after` is None when the source must be left alone."""

    rule: str
    title: str
    before: str
    after: str | None


def cases() -> Iterator[Case]:
    """Yield every golden case, by rule, in the order of its file."""
    for path in sorted(FOLDER.glob("*/*.case.py")):
        rule = ".".join(path.relative_to(FOLDER).parts).removesuffix(".case.py")
        for part in path.read_text(encoding="utf-8").split(_CASE)[1:]:
            title, _, body = part.partition("\n")
            before, found, after = body.partition(f"\n{_OUTPUT}\n")
            yield Case(rule, title.strip(), before.strip("\n") + "\n", after.strip("\n") + "\n" if found else None)


def page(code: str) -> str:
    """Return the page of a code."""
    entry = CODES[code]
    head = f"{code}: {entry.title}\nlevel: {entry.level}\n\n{entry.explanation}\n\nWhat to do: {entry.advice}"
    if run := _RUNS.get(entry.evidence.said):
        head += f"\n\nA recorded run {run.format(_OBSERVATIONS[entry.evidence.observation])}"
    return head + _example(f"# {code}:", "after")


def symbol(name: str) -> str | None:
    """Return what becomes of an old name: a C name, or a method's or function's name in Python. None if unknown."""
    method = name.rpartition(".")[2]
    known = [*RENAMES, *FUNCTIONS]
    proper = ALIASES.get(name, name)
    found = list(dict.fromkeys(key for key in known if key[1] == proper))
    if not found and method:
        found = list(dict.fromkeys(key for key in known if key[1].endswith(f"_{method}") and key[0] in _GENERATIONS))
    if not found:
        return None
    alias = [f"{name} is another spelling of {proper}.", ""] if proper != name else []
    return "\n".join([*alias, "\n\n".join(_fate(*key) for key in found)]) + _example(method, "before")


def _fate(generation: str, name: str) -> str:
    lines = [f"{name} ({_GENERATIONS.get(generation, generation)})"]
    if (generation, name) in FUNCTIONS:
        returns, parameters = FUNCTIONS[generation, name]
        lines.append(f"  {returns} ({', '.join(f'{ctype} {parameter}' for parameter, _, ctype in parameters)})")
    if rename := RENAMES.get((generation, name)):
        lines.append(f"  {rename.what}; became {rename.new or 'nothing'} ({rename.kind}, DOCA {rename.since})")
        lines.append(f"  {rename.note}")
    from migrate.rules._registry import load  # here: codes and places need no rules

    if generation in ("comm_channel", "core") and name in load():
        lines.append("  migrate rewrites calls of it")
    return "\n".join(lines)


def _example(text: str, side: str) -> str:
    """A golden case with a text in one of its sides, best of the rule that the text is named for; nothing if none."""
    known = [case for case in cases() if case.after and text in getattr(case, side)]
    own = [case for case in known if text.endswith(case.rule.rpartition(".")[2])]
    for case in (own or known)[:1]:
        after = _indented(case.after or "")
        return "\n\n" + "\n\n".join([f"Example ({case.title}):", *_indented(case.before), "becomes", *after])
    return ""


def _indented(text: str) -> list[str]:
    return ["\n".join(f"    {line}".rstrip() for line in text.splitlines())]


def place(run: Run, path: Path, line: int) -> str:
    """Return what a run found at a line of a file: each finding with the chain that justified or stopped the edit."""
    findings = [finding for outcome in run.outcomes if outcome.path == path for finding in outcome.findings]
    here = [finding for finding in findings if finding.span.line <= line <= finding.span.end_line]
    where = f"{run.name(path)}:{line}"
    problems = [f"{run.name(path)}: {problem.message}" for problem in run.problems if problem.path == path]
    if not here:
        lines = sorted({finding.span.line for finding in findings})
        there = f"; it does at {', '.join(map(str, lines))}" if lines else ""
        return "\n".join([*problems, f"{where}: nothing here uses the old API{there}"])
    return "\n\n".join("\n".join(_told(run, finding)) for finding in here)


def _told(run: Run, finding: Finding) -> Iterator[str]:
    """A finding and, indented step by step, what it follows from."""
    for depth, link in enumerate(run.chain(finding)):
        what = "stays" if stays(link) else f"becomes {link.change}" if link.change else "is noted"
        code = f" {link.code}" if link.code else ""
        because = f"{'  ' * depth}because " if depth else ""
        yield f"{because}{run.name(link.path)}:{link.span.line}: {link.name} {what}{code}: {link.message or link.rule}"
