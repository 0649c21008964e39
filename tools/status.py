"""Makes docs/status.md and comch_next/_spellings.py: how Python spells each name of the modern C API, or why not.

The spellings follow the rule that the page states, or stand in tools/status.toml; ValueError for a name without one.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import comch_next
from comch_next import api
from comch_next.dpa import dev
from tools.declarations import HEADLINE
from tools.generate import ENUMS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STATUS = Path(__file__).with_name("status.toml")
GENERATIONS: tuple[api.Generation, ...] = ("comch", "core", "dpa")
IMPLEMENTED = "implemented"
TASKS = ("SendTask", "PostRecvTask", "ProducerSendTask")

# C prefix -> class. A function is of the first whose class has it.
NOUNS = {
    "doca_comch_server_": "Server",
    "doca_comch_client_": "Client",
    "doca_comch_connection_": "Connection",
    "doca_comch_task_send_": "SendTask",
    "doca_comch_consumer_completion_": "ConsumerCompletion",
    "doca_comch_consumer_": "Consumer",
    "doca_comch_consumer_task_post_recv_": "PostRecvTask",
    "doca_comch_producer_": "Producer",
    "doca_comch_producer_task_send_": "ProducerSendTask",
    "doca_comch_msgq_": "MsgQ",
    "doca_comch_": "DevInfo",
    "doca_dpa_": "dpa.Dpa",
    "doca_dpa_thread_": "dpa.DpaThread",
    "doca_dpa_completion_": "dpa.DpaCompletion",
    "doca_pe_": "ProgressEngine",
    "doca_ctx_": "Context",
    "doca_task_": "Task",
    "doca_devinfo_rep_": "RepInfo",
    "doca_devinfo_": "DevInfo",
    "doca_dev_rep_": "Representor",
    "doca_dev_": "Device",
    "doca_mmap_": "Mmap",
    "doca_buf_inventory_": "BufInventory",
    "doca_buf_": "Buf",
    "doca_": "DevInfo",
}


class Symbol(NamedTuple):
    """One C name of the modern API; `newer` is what a later release calls it."""

    name: str
    what: str
    header: str = ""
    since: str = ""
    newer: str = ""


class Row(NamedTuple):
    """How Python spells a symbol (nothing where it does not), and what there is to say of it."""

    symbol: Symbol
    spelling: str
    status: str


# ---------------------------------------------------------------- what there is


def symbols(generation: api.Generation) -> list[Symbol]:
    """Every name of a generation's table, functions first, each once."""
    found: dict[str, Symbol] = {}
    for symbol in _symbols(generation):
        found.setdefault(symbol.name, symbol)
    return list(found.values())


def _symbols(generation: api.Generation) -> Iterator[Symbol]:
    for function in api.functions(generation):
        since = (function.since or "").partition(" (")[0]
        yield Symbol(function.name, "function", function.header, since, function.replaced_by or "")
    for struct in api.structs(generation):
        yield Symbol(struct.name, struct.kind)
    for typedef in api.typedefs(generation):
        yield Symbol(typedef.name, "typedef")
    for callback in api.callbacks(generation):
        yield Symbol(callback.name, "callback", since=(callback.since or ""), newer=callback.replaced_by or "")
    for table in api.enums(generation):
        yield Symbol(table.name, "enum", table.header, newer=table.replaced_by or "")
        for name in table.values:
            yield Symbol(name, "enum value", table.header, newer=_renamed(name))
    for name in api.constants(generation):
        yield Symbol(name, "constant")
    if generation == "core":
        for name in api.macros():
            yield Symbol(name, "macro")


def _renamed(name: str) -> str:
    return next((row.new for row in api.renames() if row.old == name and row.old_generation in GENERATIONS), "")


# ---------------------------------------------------------------- how it is spelled


@cache
def _config() -> Mapping[str, Any]:
    config: Mapping[str, Any] = tomllib.loads(STATUS.read_text(encoding="utf-8"))["python"]
    return config


def reason(name: str) -> str | None:
    """Why Python has no counterpart of a name; None where it has one."""
    found = [row["why"] for row in _config()["absent"] if any(fnmatchcase(name, each) for each in row["names"])]
    if len(found) > 1:
        raise ValueError(f"tools/status.toml: {name} is absent for two reasons: {found}")
    return found[0] if found else None


@cache
def _enum_members() -> Mapping[str, str]:
    """C names of enums and their values -> class, class and member."""
    found = {}
    for tag, prefix, class_name, _ in ENUMS:
        owner = found[tag] = f"dpa.dev.{class_name}" if class_name in dev.__all__ else class_name
        for name in api.enum(tag).values:
            found[name] = f"{owner}.{name.removeprefix(prefix).removeprefix('DOCA_')}"
    return found


def spelled(symbol: Symbol) -> str:
    """`Class`, `Class.attribute`, an expression with one, or several apart by ` | `; "" without a counterpart."""
    for name in (symbol.name, symbol.newer):
        for known in (_config()["spelled"], _config()["types"], _enum_members()):
            if name in known:
                found: str = known[name]
                return found
        if name and reason(name):
            return ""
        if name in dev.__all__:
            return f"dpa.dev.{name}"
        for prefix, class_name in NOUNS.items():
            member = _member(class_name, name.removeprefix(prefix)) if name.startswith(prefix) else None
            if member is not None:
                return member
    raise ValueError(f"{symbol.name} has no spelling in Python; give it one, or a reason, in tools/status.toml")


def spelling(function: api.Function) -> str:
    """That of a function."""
    return spelled(Symbol(function.name, "function", newer=function.replaced_by or ""))


def _member(class_name: str, rest: str) -> str | None:
    if rest in ("create", "as_ctx", "as_task"):
        return class_name
    spellings = (rest.removeprefix("get_").removeprefix("set_"), rest)
    known = (each for each in spellings if all(_has(cls, each) for cls in classes(class_name)))
    return next((f"{class_name}.{each}" for each in known), None)


def _has(cls: type, name: str) -> bool:
    """Whether a class has the attribute, or says that its objects do; a C name stands there for its hint only."""
    return hasattr(cls, name) or any(name in inspect.get_annotations(base) for base in cls.__mro__)


def classes(name: str) -> list[Any]:
    """The class of that name in comch_next, or in a module of it; for Task all of its kinds."""
    return [attrgetter(each)(comch_next) for each in (TASKS if name == "Task" else (name,))]


def rows(generation: api.Generation) -> list[Row]:
    """The rows of a generation's names, in the order of `symbols`."""
    found = []
    for symbol in symbols(generation):
        python = spelled(symbol)
        if not python:
            status = reason(symbol.name) or reason(symbol.newer) or ""
        else:
            status = IMPLEMENTED + (f"; now `{symbol.newer}`" if symbol.newer else "")
        found.append(Row(symbol, python, status))
    return found


def _stray_names() -> list[str]:
    """Names in tools/status.toml that no table has."""
    names = {symbol.name for generation in GENERATIONS for symbol in symbols(generation)}
    config = _config()
    listed = [*config["spelled"], *config["types"], *(name for row in config["absent"] for name in row["names"])]
    return [name for name in listed if not any(fnmatchcase(each, name) for each in names)]


# ---------------------------------------------------------------- docs/status.md


HEAD = """# Every name of the modern API, in Python

<!-- Generated by tools/generate.py from the tables in comch_next/api and tools/status.toml; do not edit. -->

Implemented names work on the emulated driver and, except for DOCA DPA, on the native driver, which calls the C
functions of these names. On the native driver a message queue takes DPA objects that the program has made with NVIDIA's
library; [native.md](native.md) lists what is tested.

How to read the tables:

- A C function of a noun is a method of its class; `create` is the constructor, plain get and set pairs are properties,
  and capabilities are methods of DevInfo. Names that begin with `dpa.` are in the module `comch_next.dpa`.
- Servers, clients, consumers and producers are contexts themselves, so `as_ctx` is the object itself; likewise
  `as_task`. `Task` stands for SendTask, PostRecvTask and ProducerSendTask; ` | ` separates the spellings of classes.
- *Status* has the reason if Python has no counterpart.
- *C library* names the library that has the function for C programs, cffi and ctypes, and the function's result there
  if it is not implemented.

If you use a C name as an attribute of a Python object, whole or without its noun, the AttributeError names the Python
spelling. [errors.md](errors.md) lists the failures. `python -m comch_next explain NAME` prints this for one name.
"""
TITLES = {"comch": "DOCA Comch", "core": "DOCA Core", "dpa": "DOCA DPA"}


def page() -> str:
    """The text of docs/status.md."""
    if stray := _stray_names():
        raise ValueError(f"tools/status.toml: {stray} are in no table")
    lines = [HEAD.rstrip("\n")]
    for generation in GENERATIONS:
        every = rows(generation)
        functions = [row for row in every if row.symbol.what == "function"]
        lines += ["", f"## {TITLES[generation]}", "", f"{_counts('functions', functions)}", ""]
        lines += ["| Function | Header | Since DOCA | Python | Status | C library |", "|---|---|---|---|---|---|"]
        for row in functions:
            cells = (row.symbol.header, row.symbol.since, _python(row), row.status, c_library(generation, row))
            lines.append(f"| `{row.symbol.name}` | {' | '.join(cells)} |")
        others = [row for row in every if row.symbol.what != "function"]
        lines += ["", f"{_counts('types, values and macros', others)}", ""]
        lines += ["| Name | Kind | Python | Status |", "|---|---|---|---|"]
        lines += [f"| `{row.symbol.name}` | {row.symbol.what} | {_python(row)} | {row.status} |" for row in others]
    return "\n".join([*lines, ""])


def c_library(generation: api.Generation, row: Row) -> str:
    """The library that has a function for C programs, "refused" where that answers NOT_SUPPORTED."""
    config = _config_of_c()
    told = ", refused: `DOCA_ERROR_NOT_SUPPORTED`" if row.symbol.name in config["refused"] else ""
    return f"libdoca_{config['libraries'].get(row.symbol.header) or config['libraries'][generation]}{told}"


@cache
def _config_of_c() -> Mapping[str, Any]:
    config: Mapping[str, Any] = tomllib.loads(STATUS.read_text(encoding="utf-8"))["c"]
    return config


def _counts(what: str, some: Iterable[Row]) -> str:
    told = [row.status for row in some]
    implemented = sum(status.startswith(IMPLEMENTED) for status in told)
    return f"{len(told)} {what}: {implemented} implemented, {len(told) - implemented} without a counterpart."


def _python(row: Row) -> str:
    return " or ".join(f"`{each}`" for each in row.spelling.split(" | ")) if row.spelling else ""


# ---------------------------------------------------------------- comch_next/_spellings.py


SPELLINGS_HEAD = f'''"""How Python spells the C names: what `comch_next._hints` looks a missing attribute up in."""

{HEADLINE}
from __future__ import annotations
'''


def spellings() -> str:
    """The text of comch_next/_spellings.py."""
    every = [row for generation in GENERATIONS for row in rows(generation)]
    unique = {row.symbol.name: row for row in reversed(every)}  # of a name in both tables, Comch's row
    ordered = sorted(unique.values(), key=lambda row: row.symbol.name)
    python = ((row.symbol.name, row.spelling) for row in ordered if row.spelling)
    absent = ((row.symbol.name, row.status) for row in ordered if not row.spelling)
    nouns = "".join(f"    {prefix!r},\n" for prefix in NOUNS)
    prefixes = f"\n# what a function's name begins with: its noun\nPREFIXES: tuple[str, ...] = (\n{nouns})\n"
    parts = (
        ("C name -> its spelling in Python; ` | ` separates those of several classes", "SPELLINGS", "str", python),
        ("C name -> why Python has no counterpart", "ABSENT", "str", absent),
        ("C name of an earlier release -> what became of it", "LATER", "tuple[str, ...]", _later(set(unique))),
        (
            "rest of a generation-1 name -> where objects have it; the first that is there holds",
            "GENERATION_1",
            "tuple[str, ...]",
            sorted(_generation_1()),
        ),
    )
    return SPELLINGS_HEAD + prefixes + "".join(_mapping(*part) for part in parts)


def _generation_1() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where objects have a call of generation 1, also under another spelling of its name."""
    prefix = "doca_comm_channel_ep_"
    spellings = {prefix + name: [name] for name in _config()["generation_1"]}
    for alias, proper in api.aliases().items():
        if proper in spellings and alias.startswith(prefix):
            spellings[proper].append(alias.removeprefix(prefix))
    for name, found in _config()["generation_1"].items():
        for spelling in spellings[prefix + name]:
            yield spelling, tuple(found)


def _later(known: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where each name that the modern tables lack went, as far as they have that."""
    became = {row.old: api.rename(row.old).new_names for row in api.renames()}
    became |= {alias: (proper,) for alias, proper in api.aliases().items()}

    def follow(name: str, seen: tuple[str, ...] = ()) -> Iterator[str]:
        if name in known:
            yield name
        elif name not in seen:
            for new in became.get(name, ()):
                yield from follow(new, (*seen, name))

    for old in sorted(set(became) - known):
        if old.isidentifier() and (found := tuple(dict.fromkeys(follow(old)))):
            yield old, found


def _mapping(comment: str, name: str, kind: str, items: Iterable[tuple[str, object]]) -> str:
    body = "".join(f"    {key!r}: {value!r},\n" for key, value in items)
    return f"\n# {comment}\n{name}: dict[str, {kind}] = {{\n{body}}}\n"
