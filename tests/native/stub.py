"""A small library with every function that libdoca_common and libdoca_comch export, compiled by the tests.

Functions note their names in the file STUB_LOG. Those in stub.c do what a test looks at: a client that connects to
itself, so that every message comes back. All others, made from the tables, answer DOCA_SUCCESS, and write zeros and
pointers to nothing.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from comch_next import api
from comch_next.api import Function, Generation, Param, prototypes

__all__ = ["build"]

_HERE = Path(__file__).parent
_GENERATIONS: tuple[Generation, ...] = ("core", "comch")
_OTHER_LIBRARIES = ("doca_log", "doca_argp")
_NAME = "libdoca_comch.so.2"
_BUILD_S = 120.0


def _functions() -> Iterator[Function]:
    for generation in _GENERATIONS:
        for row in api.functions(generation):
            if row.stability != "inline" and not row.name.startswith(_OTHER_LIBRARIES):
                yield row


def _header() -> Iterator[str]:
    yield "#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n#include <stdio.h>"
    for row in (row for generation in _GENERATIONS for row in api.structs(generation)):
        yield prototypes.definition(row)
    enums = {row.name: row for generation in _GENERATIONS for row in reversed(api.enums(generation))}
    yield from (prototypes.enumeration(row) for row in enums.values() if row.until is None)
    for generation in _GENERATIONS:
        yield from map(prototypes.type_name, api.typedefs(generation))
        yield from map(prototypes.callback_type, api.callbacks(generation))
    yield from (f"{prototypes.prototype(row)};" for row in _functions())
    yield "void note(const char *call);"


def _output(param: Param) -> str:
    if param.ctype.endswith("**"):
        return f"*(void **){param.name} = (void *)0x1000;"
    return "" if param.ctype.startswith(("char", "struct", "union")) else f"*{param.name} = 0;"


def _default(row: Function) -> str:
    """Write a function that notes its name; another definition of it in stub.c is taken instead."""
    outputs = " ".join(_output(param) for param in row.params if param.is_output)
    result = "" if row.returns == "void" else "return (union doca_data){0};" if "union" in row.returns else "return 0;"
    return f'__attribute__((weak)) {prototypes.prototype(row)} {{ note("{row.name}"); {outputs} {result} }}'


def build(folder: Path, release: str, *, also: Iterable[str] = (), without: Iterable[str] = ()) -> Path:
    """Compile it for a release into a folder. `also`: functions of other releases, `without`: those it lacks."""
    lacking, more = set(without), set(also)
    rows = [row for row in _functions() if row.name in more or (row.available_in(release) and row.name not in lacking)]
    (folder / "doca.h").write_text("\n".join(_header()))
    (folder / "weak.c").write_text("\n".join(['#include "doca.h"', *map(_default, rows)]))
    path = folder / _NAME
    macros = [f'-DRELEASE="{release}"', *(f"-D{call}=absent_{call}" for call in lacking)]
    sources = [str(folder / "weak.c"), str(_HERE / "stub.c")]
    command = ["gcc", "-std=c11", "-shared", "-fPIC", "-w", f"-I{folder}", *macros, "-o", str(path), *sources]
    subprocess.run(command, check=True, timeout=_BUILD_S)
    return path
