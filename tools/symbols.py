"""Every name of generations 1 and 2 and what this release does with it: the status tables of MIGRATION.md."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import NamedTuple

from tools.facts import ROOT, api

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OLD: tuple[api.Generation, ...] = ("comm_channel", "comm_channel_1x", "cc")
HEADS = {
    "comm_channel": "Generation 1: DOCA 1.5 - 2.8",
    "comm_channel_1x": "Generation 1: DOCA 1.2 - 1.4, where it differs",
    "cc": "Generation 2: DOCA 2.5 and 2.6",
}
RUNS = {
    "yes": "runs",
    "1.4": "runs with `--doca 1.4`",
    "no": "does not run",
    "c": "C programs only",
}
MIGRATES = {"rewritten": "rewritten", "manual": "manual", "nothing": "nothing to rewrite"}


class Symbol(NamedTuple):
    """One old name that a program can contain."""

    generation: api.Generation
    name: str
    what: str
    becomes: str


class Status(NamedTuple):
    """What this release does with a symbol: keys of RUNS and MIGRATES."""

    runs: str
    migrates: str


def symbols() -> list[Symbol]:
    """Every old name in the tables: functions, spellings, constants, types, headers, libraries."""
    found: dict[tuple[api.Generation, str], Symbol] = {}

    def add(generation: api.Generation, name: str, what: str, becomes: str = "") -> None:
        found.setdefault((generation, name), Symbol(generation, name, what, becomes))

    for row in api.renames():
        if row.old_generation in OLD:
            add(row.old_generation, row.old, "function" if row.what == "signature" else row.what, row.new)
    for generation in OLD:
        for function in api.functions(generation):
            # Of 1.x a few calls have no row of their own: they are those of 1.5.
            add(generation, function.name, "function", function.name)
        for name in api.constants(generation):
            add(generation, name, "constant")
    for name in api.unconfirmed_constants():
        add("comm_channel_1x", name, "constant")
    for name, proper in api.aliases().items():
        if api.function(proper).generation == "comm_channel":
            add("comm_channel", name, "alias", proper)
    order = ("function", "alias", "constant", "struct", "enum", "typedef", "callback", "header", "library")
    return sorted(found.values(), key=lambda row: (OLD.index(row.generation), order.index(row.what)))


def statuses() -> Mapping[tuple[str, str], Status]:
    """The rows of tools/status.toml; ValueError for a name given twice or a word that means nothing."""
    found: dict[tuple[str, str], Status] = {}
    for group in tomllib.loads((ROOT / "tools" / "status.toml").read_text(encoding="utf-8"))["group"]:
        status = Status(group["runs"], group["migrates"])
        if status.runs not in RUNS or status.migrates not in MIGRATES:
            raise ValueError(f"tools/status.toml: {status} is not made of {list(RUNS)} and {list(MIGRATES)}")
        for name in group["names"]:
            if (group["generation"], name) in found:
                raise ValueError(f"tools/status.toml: {name} has two rows")
            found[group["generation"], name] = status
    return found


def status_gaps() -> tuple[list[str], list[str]]:
    """Symbols without a row, and rows without a symbol, each as "generation name"."""
    known, rows = {(each.generation, each.name) for each in symbols()}, set(statuses())
    return [" ".join(key) for key in sorted(known - rows)], [" ".join(key) for key in sorted(rows - known)]


def status_table() -> str:
    """The rows of the status tables, in Markdown."""
    rows, lines = statuses(), []
    later = {each.name for each in symbols() if each.generation != "comm_channel_1x"}
    for generation, head in HEADS.items():
        lines += ["", f"**{head}**", ""]
        lines += ["| Old name | Kind | Old program | `migrate` | Where it went |", "|---|---|---|---|---|"]
        for each in symbols():
            if each.generation == generation:
                status = rows.get((generation, each.name), Status("no", "manual"))
                becomes = each.becomes.replace("|", "\\|") or "nothing took its place"
                # Deprecation warnings point at the anchor; a 1.x row that repeats a name has a suffix.
                anchor = each.name.lower() + ("-1x" if generation == "comm_channel_1x" and each.name in later else "")
                name = f'<a id="{anchor}"></a>`{each.name}`'
                told = (name, each.what, RUNS[status.runs], MIGRATES[status.migrates], becomes)
                lines.append(f"| {' | '.join(told)} |")
    return "\n".join([*lines, "", ""])
