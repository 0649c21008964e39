"""Reads the six JSON tables, each once and only when asked for, and answers questions about them."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_args

from ._rows import (
    Callback,
    EnumTable,
    ErrorRow,
    Function,
    Generation,
    Library,
    Param,
    Rename,
    Struct,
    Typedef,
    Variant,
)

_Row = dict[str, Any]

GENERATIONS: tuple[Generation, ...] = get_args(Generation)


class UnknownName(LookupError):
    """A name or generation that is in no table; the message lists similar names."""


def _unknown(what: str, name: str, known: Iterable[str]) -> UnknownName:
    close = difflib.get_close_matches(name, known, n=3)
    hint = f"; close to it: {', '.join(close)}" if close else ""
    return UnknownName(f"no {what} {name!r} in the tables{hint}")


@cache
def _table(name: str) -> Any:
    return json.loads((resources.files(__package__) / f"{name}.json").read_text(encoding="utf-8"))


def _generation(generation: Generation) -> _Row:
    """The part of a file that belongs to a generation; the 1.x shape lives inside the comm_channel file."""
    if generation not in GENERATIONS:
        raise _unknown("generation", generation, GENERATIONS)
    table: _Row = _table(generation.removesuffix("_1x"))
    return table["legacy_1x"] if generation == "comm_channel_1x" else table


def _params(rows: Iterable[_Row], like: Iterable[Param] = ()) -> tuple[Param, ...]:
    """Return parameters. A variant's rows have no direction; it is that of the same name in the main shape."""
    known = {param.name: param.direction for param in like}

    def direction(row: _Row) -> str:
        guess = "out" if row["ctype"].endswith("**") else "in"
        return str(row.get("direction") or known.get(row["name"], guess))

    return tuple(Param(row["name"], row["ctype"], direction(row)) for row in rows)


def _variants(row: _Row, params: tuple[Param, ...]) -> tuple[Variant, ...]:
    def build(each: _Row) -> Variant:
        note = each.get("note", "")
        name, _, ctype = note.partition(" is ")  # "msg_len is size_t": the one parameter that differs
        noted = [replace(param, ctype=ctype) if param.name == name else param for param in params]
        shape = _params(each["params"], like=params) if "params" in each else tuple(noted)
        return Variant(each["doca"], each.get("returns", ""), shape, note)

    return tuple(map(build, row.get("variants", ())))


def _function(row: _Row, generation: Generation, inferred: bool = False) -> Function:
    params = _params(row["params"])
    return Function(
        name=row["name"],
        generation=generation,
        returns=row["returns"],
        params=params,
        errors=tuple(ErrorRow(each["code"], each["when"]) for each in row["errors"]),
        notes=row.get("notes", ""),
        header=row.get("header", "doca_comm_channel.h" if generation == "comm_channel_1x" else ""),
        stability=row.get("stability", ""),
        since=row.get("since"),
        until=row.get("until") or ("1.4" if generation == "comm_channel_1x" else None),
        replaced_by=row.get("replaced_by"),
        older_spelling=row.get("older_spelling"),
        modern=row.get("modern"),
        aliases=tuple(each["name"] for each in row.get("aliases", ())),
        variants=_variants(row, params),
        inferred=inferred,
    )


@cache
def functions(generation: Generation) -> tuple[Function, ...]:
    """Return every function of a generation in the order of the header, then older spellings (with `replaced_by`)."""
    table = _generation(generation)
    current = [_function(row, generation) for row in table["functions"]]
    older = [_function(row, generation) for row in table.get("legacy_functions", ())]
    inferred = [_function(row, generation, inferred=True) for row in table.get("inferred_functions", ())]
    return tuple(current + older + inferred)


@cache
def _functions_by_name() -> Mapping[str, Mapping[Generation, Function]]:
    found: dict[str, dict[Generation, Function]] = {}
    for generation in GENERATIONS:
        for row in functions(generation):
            found.setdefault(row.name, {})[generation] = row
    return found


def function(name: str, generation: Generation | None = None) -> Function:
    """Return the function with a C name; of two shapes the newer one, unless a generation is given."""
    shapes = _functions_by_name().get(name)
    if shapes is None:
        proper = aliases().get(name)
        told = f"no function {name!r} in the tables: it is another spelling of {proper!r}"
        raise UnknownName(told) if proper else _unknown("function", name, _functions_by_name())
    if generation is None:
        return next(iter(shapes.values()))
    if generation not in shapes:
        raise UnknownName(f"{name!r} belongs to {', '.join(shapes)}, not to {generation!r}")
    return shapes[generation]


@cache
def callbacks(generation: Generation) -> tuple[Callback, ...]:
    """Return every callback type of a generation."""

    def build(row: _Row) -> Callback:
        params = _params(row["params"])
        optional = (row.get("since"), row.get("until"), row.get("replaced_by"), row.get("older_spelling"))
        variants = _variants(row, params)
        texts = (row["notes"], row.get("header", ""))
        return Callback(row["name"], generation, row["returns"], params, *texts, *optional, variants)

    return tuple(build(row) for row in _generation(generation).get("callbacks", ()))


@cache
def enums(generation: Generation) -> tuple[EnumTable, ...]:
    """Return every enum of a generation; one with other members in another release comes twice, with another `doca`."""
    return tuple(
        EnumTable(
            name=row["name"],
            generation=generation,
            values=MappingProxyType(row["values"]),
            meanings=MappingProxyType(row.get("meaning", {})),
            header=row.get("header", ""),
            typedef=row.get("typedef"),
            until=row.get("until"),
            doca=row.get("doca"),
            replaced_by=row.get("replaced_by"),
        )
        for row in _generation(generation)["enums"]
    )


_T = TypeVar("_T", Function, Callback)


def in_release(row: _T, doca: str) -> _T:
    """Return a function or callback with the types that it had in a release."""
    for variant in row.variants:
        if variant.doca == doca:
            return replace(row, returns=variant.returns or row.returns, params=variant.params)
    return row


def enum(name: str) -> EnumTable:
    """Return the enum with a C tag; of two shapes the newer one."""
    newest_first = [table for generation in GENERATIONS for table in enums(generation)]
    known = {table.name: table for table in reversed(newest_first)}
    if name not in known:
        raise _unknown("enum", name, known)
    return known[name]


@cache
def structs(generation: Generation) -> tuple[Struct, ...]:
    """Return every struct and union of a generation; those without fields are opaque."""
    table = _generation(generation)

    def build(row: str | _Row, kind: Literal["struct", "union"]) -> Struct:
        row = {"name": row} if isinstance(row, str) else row
        fields = tuple((name, ctype) for name, ctype in row.get("fields", ()))
        return Struct(row["name"], generation, kind, fields, row.get("until"), row.get("notes", ""))

    opaque_and_open = [*table["structs"], *table.get("open_structs", ())]
    unions = [build(row, "union") for row in table.get("unions", ())]
    return tuple([build(row, "struct") for row in opaque_and_open] + unions)


@cache
def typedefs(generation: Generation) -> tuple[Typedef, ...]:
    """Return every typedef of a generation that is not a callback."""
    rows = _table(generation.removesuffix("_1x")).get("typedefs", ())
    return tuple(Typedef(row["name"], row["ctype"], row.get("notes", "")) for row in rows)


def library(generation: Generation) -> Library:
    """Return the shared library that has a generation's functions."""
    row = _table(generation.removesuffix("_1x"))["library"] if _generation(generation) else {}
    return Library(row["soname"], row["file"], row["pkg_config"])


@cache
def constants(generation: Generation | None = None) -> Mapping[str, int]:
    """Return the value of every constant by C name, enum members included, of one generation or of all.

    DOCA_CC_INIT_FLAG_NONBLOCK of 1.x is not in it: its value is not confirmed (see `unconfirmed_constants`).
    """
    found: dict[str, int] = {}
    for each in GENERATIONS if generation is None else (generation,):
        for table in enums(each):
            found.update(table.values)
        found.update({k: v for k, v in _generation(each)["constants"].items() if isinstance(v, int)})
    return MappingProxyType(found)


@cache
def unconfirmed_constants() -> Mapping[str, str]:
    """Return the constants whose values no known header has, with what is known about them."""
    every = [_generation(each)["constants"].items() for each in GENERATIONS]
    return MappingProxyType({k: v for items in every for k, v in items if isinstance(v, str)})


@cache
def macros() -> tuple[str, ...]:
    """Return the macros of the core headers."""
    return tuple(_generation("core")["macros"])


@cache
def renames() -> tuple[Rename, ...]:
    """Return every old name with its successor; (old, old_generation) is unique."""
    return tuple(
        Rename(
            old=row["old"],
            new=row["new"],
            old_generation=row["old_generation"],
            kind=row["kind"],
            what=row["what"],
            since_doca=row["since_doca"],
            note=row["note"],
            via=tuple(row.get("via", ())),
        )
        for row in _table("renames")
    )


def rename(old: str, generation: Generation | None = None) -> Rename:
    """Return the successor of an old name; of two rows that of the newer generation, unless one is given."""
    rows = [row for row in renames() if row.old == old and generation in (None, row.old_generation)]
    if not rows:
        raise _unknown("rename of", old, (row.old for row in renames()))
    return min(rows, key=lambda row: GENERATIONS.index(row.old_generation))


@cache
def aliases() -> Mapping[str, str]:
    """Return other spellings that take the same arguments, each with its proper name.

    Misprints and cut-off names of the guides, and the older names of core functions. An older name
    whose arguments or behaviour differ is not an alias: it is in `renames` only.
    """
    found: dict[str, str] = {}
    for generation in GENERATIONS:
        table = _generation(generation)
        found.update({alias: row.name for row in functions(generation) for alias in row.aliases})
        found.update({row["name"]: row["of"] for row in table.get("truncated_spellings", ())})
    same = {row.old for row in renames() if row.kind == "rename"}
    found.update({r.name: r.replaced_by for r in functions("core") if r.replaced_by and r.name in same})
    return MappingProxyType(found)
