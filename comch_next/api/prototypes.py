"""C text made from the tables: prototypes, callback types, enums and structures, for headers and for cffi.

A cdef is read by cffi, which passes no union by value through libffi: there `union doca_data` by value is `uint64_t`,
which travels in the same register on every 64-bit Linux that DOCA knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import MappingProxyType

from ._load import callbacks, enums, functions, structs, typedefs
from ._rows import Callback, EnumTable, Function, Generation, Struct, Typedef

__all__ = ["callback_type", "cdef", "declaration", "definition", "enumeration", "prototype", "tags", "type_name"]

_TAG = re.compile(r"\b(struct|union) (\w+)")
_IN_REGISTER = {"union doca_data": "uint64_t", "const union doca_data": "uint64_t"}


def declaration(ctype: str, name: str) -> str:
    """Declare a variable or parameter of a table's C type: ``struct doca_dev **dev``."""
    if ctype == "...":
        return ctype
    return f"{ctype}{name}" if ctype.endswith("*") else f"{ctype} {name}"


def prototype(row: Function) -> str:
    """Write the prototype of a function, without its semicolon."""
    return _prototype(row, row.name)


def _prototype(row: Function | Callback, name: str, types: Mapping[str, str] = MappingProxyType({})) -> str:
    """Write a prototype under that name, with the types that stand in for others."""
    listed = (declaration(types.get(param.ctype, param.ctype), param.name) for param in row.params)
    return f"{declaration(types.get(row.returns, row.returns), name)}({', '.join(listed) or 'void'})"


@cache
def _function_types() -> frozenset[str]:
    """Name the callback types that are functions, not pointers to them: setters take a pointer to these."""
    generations: tuple[Generation, ...] = ("comm_channel", "cc", "comch", "core", "dpa")
    used = {param.ctype for generation in generations for row in functions(generation) for param in row.params}
    known = {row.name for generation in generations for row in callbacks(generation)}
    return frozenset(name for name in known if f"{name} *" in used)


def callback_type(row: Callback) -> str:
    """Write the typedef of a callback."""
    return f"typedef {_prototype(row, _callback_name(row))};"


def _callback_name(row: Callback) -> str:
    return row.name if row.name in _function_types() else f"(*{row.name})"


def enumeration(row: EnumTable) -> str:
    """Write the definition of an enum."""
    members = "".join(f"\t{name} = {value},\n" for name, value in row.values.items())
    return f"enum {row.name} {{\n{members}}};"


def definition(row: Struct) -> str:
    """Write the definition of a struct or union, or its mere announcement when it is opaque."""
    if not row.fields:
        return f"{row.kind} {row.name};"
    (name, ctype), *others = row.fields
    if "(union with" in ctype:  # the first field lies over all others, as in struct doca_pci_bdf
        apart = "".join(f" {_field(*field)};" for field in others)
        return f"{row.kind} {row.name} {{\n\tunion {{ {ctype.split(' (')[0]} {name}; struct {{{apart} }}; }};\n}};"
    members = "".join(f"\t{_field(*field)};\n" for field in row.fields)
    return f"{row.kind} {row.name} {{\n{members}}};"


def _field(name: str, ctype: str) -> str:
    base, _, width = ctype.partition(":")
    return declaration(base, name) + (f":{width}" if width else "")


def type_name(row: Typedef) -> str:
    """Write the typedef of a type as it is on Linux. The kernel's big-endian integers become plain ones."""
    ctype = re.sub(r"^__be(\d+)$", r"uint\1_t", row.ctype.split(" on Linux")[0])
    return f"typedef {declaration(ctype, row.name)};"


def tags(rows: Iterable[Function]) -> Iterator[str]:
    """Name every struct and union that parameters and results have, each once: ``struct doca_dev``."""
    ctypes = (ctype for row in rows for ctype in (row.returns, *(param.ctype for param in row.params)))
    return iter(dict.fromkeys(" ".join(tag) for ctype in ctypes for tag in _TAG.findall(ctype)))


def cdef(*generations: Generation) -> str:
    """Write everything of these generations as cffi reads it; the core's types come first, so name it first."""
    callback_rows = (row for generation in generations for row in callbacks(generation))
    function_rows = (row for generation in generations for row in functions(generation))
    lines = [*_types(generations)]
    lines += [f"typedef {_prototype(row, _callback_name(row), _IN_REGISTER)};" for row in callback_rows]
    lines += [f"{_prototype(row, row.name, _IN_REGISTER)};" for row in function_rows]
    return "\n".join(lines)


def _types(generations: tuple[Generation, ...]) -> Iterator[str]:
    """Define the types of these generations but callbacks, each tag once and what is used before what uses it."""
    rows = {row.name: row for generation in generations for row in structs(generation)}
    named = tags(row for generation in generations for row in functions(generation))
    yield from (f"{tag};" for tag in named if tag.split()[1] not in rows)
    yield from map(definition, rows.values())
    shapes: dict[str, EnumTable] = {}
    for row in (row for generation in generations for row in enums(generation)):
        shapes.setdefault(row.name, row)  # of two shapes of one tag the newer one, which comes first
    yield from map(enumeration, shapes.values())
    yield from (type_name(row) for generation in generations for row in typedefs(generation))
