"""``explain``: what the tables of comch_next.api have of a C name, and how Python spells it."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from comch_next import api
from comch_next._hints import c_names, python_spelling
from comch_next.api.prototypes import prototype
from comch_next.errors import ErrorCode, describe, from_code

__all__ = ["explain"]

_LINE = 80  # columns of a terminal
_ERROR = "DOCA_ERROR_"
_GENERATIONS: Mapping[api.Generation, str] = {
    "comm_channel": "generation 1",
    "comm_channel_1x": "generation 1 before DOCA 1.5",
    "cc": "generation 2",
    "comch": "Comch",
    "core": "DOCA Core",
    "dpa": "DOCA DPA",
}


def explain(names: Sequence[str]) -> str:
    """Describe C names of any generation: spelling in Python, signatures, releases and failures."""
    return "\n\n".join("\n".join(_lines(name)) for name in names)


def _lines(name: str) -> Iterator[str]:
    proper = api.aliases().get(name, name)
    known = dict.fromkeys([*c_names(), *(change.old for change in api.renames())])
    if proper not in known:
        close = get_close_matches(name, known, n=3)
        raise api.UnknownName(f"no table has {name!r}" + (f"; close to it: {', '.join(close)}" if close else ""))
    yield name
    if proper != name:
        yield from _field("Alias of", proper)
    yield from _field("Python", python_spelling(proper))
    values = api.constants()
    if proper in values:
        yield from _field("Value", str(values[proper]))
    if proper in api.enum("doca_error").values and proper.startswith(_ERROR):
        yield from _field("Raised as", f"{_exception(proper)}: {describe(values[proper])}")
    for generation in api.GENERATIONS:
        for row in api.functions(generation):
            if row.name == proper:
                yield from _function(row)
        for change in api.renames():
            if (change.old, change.old_generation) == (proper, generation):
                yield from _field("Became", f"{change.new or 'nothing'}. {change.note}")


def _function(row: api.Function) -> Iterator[str]:
    yield from _field("Found in", ", ".join(filter(None, (_GENERATIONS[row.generation], row.header, _releases(row)))))
    wrapped = _field("Signature", prototype(row).replace("(", "( "))  # a line may end behind it
    yield from (line.replace("( ", "(") for line in wrapped)
    if row.notes:
        yield from _field("Notes", row.notes)
    for failure in row.errors:
        yield from _field("Fails with", f"{_exception(failure.code)}: {failure.when}")


def _releases(row: api.Function) -> str:
    if row.since_release == row.until_release and row.since_release:
        return f"DOCA {row.since_release}"
    if row.since_release and row.until_release:
        return f"DOCA {row.since_release} to {row.until_release}"
    if row.until_release:
        return f"until DOCA {row.until_release}"
    return f"since DOCA {row.since_release or row.since}" if row.since else ""


def _exception(code: str) -> str:
    return type(from_code(ErrorCode[code.removeprefix(_ERROR)])).__name__


def _field(title: str, text: str) -> list[str]:
    """A line, wrapped below its own text."""
    return textwrap.wrap(
        text,
        _LINE,
        initial_indent=f"  {title:<12}",
        subsequent_indent=" " * 14,
        break_long_words=False,
        break_on_hyphens=False,
    )
