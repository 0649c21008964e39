"""Writes every text that is made from the fact tables; with --check it only reports which are stale.

comch_next/_codes.py   the result codes and other enums as Python enums
comch_next/declarations, comch_next/capi/_pointers.py  what C declares, read without the tables: see
                       tools/declarations.py
migrate/old_api/_tables.py  the old names as plain data, so that migrate runs without comch_next
docs/symbols.md        every old symbol and what becomes of it (status: tools/status.toml): see tools/symbols.py
docs/proofs.md         every documented failure with its proof, out of the tests: see tools/proofs.py
docs/errors.md         the same failures for users: see tools/failures.py
docs/status.md         every name of the modern API with its Python spelling: see tools/status.py
comch_next/_spellings.py  the same, for the hints of missing attributes
comch_next/driver/emulated/_fabric/topology.schema.json  what a topology file may hold: see tools/topology.py
docs/states.md, .svg   the life of a context, drawn from the tables of its states: see tools/states.py
docs/benchmarks.svg    what was measured last, drawn from docs/benchmarks.json: see tools/bench_picture.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tools import symbols
from tools.declarations import HEADLINE, MODULES, mapping, module, pointers, signature
from tools.facts import ROOT, api

# (C enum, its prefix, Python class, base): what _codes.py holds, in this order
ENUMS = (
    ("doca_error", "DOCA_ERROR_", "ErrorCode", "IntEnum"),
    ("doca_ctx_states", "DOCA_CTX_STATE_", "State", "IntEnum"),
    ("doca_comch_counter", "DOCA_COMCH_COUNTER_", "Counter", "IntEnum"),
    ("doca_devinfo_rep_filter", "DOCA_DEVINFO_REP_FILTER_", "RepFilter", "IntFlag"),
    ("doca_pci_func_type", "DOCA_PCI_FUNC_TYPE_", "PciFuncType", "IntEnum"),
    ("doca_task_submit_flag", "DOCA_TASK_SUBMIT_FLAG_", "SubmitFlag", "IntFlag"),
    ("doca_access_flag", "DOCA_ACCESS_FLAG_", "AccessFlag", "IntFlag"),
    ("doca_dpa_dev_completion_type", "DOCA_DPA_DEV_COMP_", "CompletionType", "IntEnum"),
)
ENUM_DOCSTRINGS = {
    "ErrorCode": "The result code of a call",
    "State": "The state of a context",
    "Counter": "A counter of a connection",
    "RepFilter": "A filter for representors; its bits combine",
    "PciFuncType": "The type of a PCIe function",
    "SubmitFlag": "A flag for the submission of a task; its bits combine",
    "AccessFlag": "A permission of a map; its bits combine",
    "CompletionType": "The type of a completion on the DPA",
    "LogLevel": "A level of DOCA's log",
}
LOG_LEVEL = ("doca_log_level", "DOCA_LOG_LEVEL_", "LogLevel", "IntEnum")  # new programs use Python's logging

OLD_GENERATIONS: tuple[api.Generation, ...] = ("comm_channel", "comm_channel_1x", "cc", "core")


# ---------------------------------------------------------------- comch_next/_codes.py


def _members(tag: str, prefix: str) -> Iterator[tuple[str, int]]:
    for name, value in api.enum(tag).values.items():
        yield name.removeprefix(prefix).removeprefix("DOCA_"), value


CODES_HEAD = f'''"""Result codes and other numbers of the C headers, as enums."""

{HEADLINE}
from collections.abc import Mapping
from enum import IntEnum, IntFlag
from types import MappingProxyType'''


_CODE_SHOWN = "    __str__ = __repr__ = int.__repr__  # a code shows as its number, as in C; `.name` is its name"


FORMATTED = (
    "",
    "    def __format__(self, format_spec: str) -> str:",
    "        return int.__format__(self, format_spec)  # before Python 3.11 it would be the text's",
)


def codes() -> str:
    """The text of comch_next/_codes.py."""
    lines = [CODES_HEAD]
    for tag, prefix, cls, base in (*ENUMS, LOG_LEVEL):
        lines += ["", "", f"class {cls}({base}):", f'    """{ENUM_DOCSTRINGS[cls]} (C: enum {tag})."""', ""]
        lines += [f"    {name} = {value}" for name, value in _members(tag, prefix)]
        shown = _CODE_SHOWN if tag == "doca_error" else "    __str__ = int.__repr__  # as from Python 3.11 on"
        lines += ["", shown, *FORMATTED]
    lines += ["", "", "# What each code means, in the words of the fact table."]
    lines += ["MEANINGS: Mapping[ErrorCode, str] = MappingProxyType({"]
    meanings = api.enum("doca_error").meanings
    for (name, _), c_name in zip(_members("doca_error", "DOCA_ERROR_"), meanings, strict=True):
        lines.append(f'    ErrorCode.{name}: "{meanings[c_name]}",')
    return "\n".join([*lines, "})", ""])


# ---------------------------------------------------------------- migrate/old_api/_tables.py


TABLES_HEAD = f'''"""The old names, what they take, where they went: plain data that imports nothing else."""

{HEADLINE}
from typing import NamedTuple


class Rename(NamedTuple):
    """Where an old name went; `new` reads `a | b` (by role), `a + b` (a recipe), or is empty (nothing)."""

    new: str
    new_names: tuple[str, ...]
    kind: str
    what: str
    since: str
    note: str

'''


def _functions() -> Iterator[tuple[object, str]]:
    for generation in OLD_GENERATIONS:
        for row in api.functions(generation):
            yield (generation, row.name), signature(row)


def _successors() -> Iterator[tuple[object, str]]:
    """Functions of generation 3 that functions of generation 2 have become."""
    renamed = {row.new for row in api.renames() if row.old_generation == "cc" and row.what == "function"}
    yield from ((row.name, signature(row)) for row in api.functions("comch") if row.name in renamed)


def _older() -> Iterator[tuple[object, str]]:
    for row in api.functions("cc"):
        for variant in row.variants:
            yield row.name, repr(tuple(param.ctype for param in variant.params))


def _renames() -> Iterator[tuple[object, str]]:
    for row in api.renames():
        fields = (row.new, row.new_names, row.kind, row.what, row.since_doca, row.note)
        yield (row.old_generation, row.old), f"Rename{fields!r}"


def _structs() -> Iterator[tuple[object, str]]:
    """Those that functions take, with what programs store and read."""
    taken = {param.ctype for row in api.functions("comm_channel_1x") for param in row.params}
    for row in api.structs("comm_channel_1x"):
        if f"struct {row.name} *" in taken and row.fields:
            yield row.name, repr(row.fields)


def _error_classes() -> Iterator[tuple[object, str]]:
    for name in api.enum("doca_error").values:
        if name != "DOCA_SUCCESS":
            yield name, repr("".join(map(str.capitalize, name.removeprefix("DOCA_ERROR_").split("_"))))


def _callbacks() -> Iterator[tuple[object, str]]:
    for generation in OLD_GENERATIONS:
        for row in api.callbacks(generation):
            yield row.name, repr(tuple((param.name, param.ctype) for param in row.params))


def _enum_members() -> Iterator[tuple[object, str]]:
    """Constants of the old module that comch_next has as members, those of an older enum by their values."""
    newest = {row.old: row.new for row in api.renames()}
    for tag, prefix, cls, _ in ENUMS:
        members = {value: name for name, value in _members(tag, prefix)}
        for table in (*api.enums("core"), *api.enums("cc")):
            if tag in (table.name, table.replaced_by, newest.get(table.name)):
                known = ((name, value) for name, value in table.values.items() if value in members)
                yield from ((name, repr(f"{cls}.{members[value]}")) for name, value in known)


def tables() -> str:
    """The text of migrate/old_api/_tables.py."""
    values = (((old, name), repr(value)) for old in OLD_GENERATIONS for name, value in api.constants(old).items())
    aliases = ((name, repr(proper)) for name, proper in sorted(api.aliases().items()))
    parts = (
        (
            "(generation, function) -> what it returns, and its parameters in C order, each (name, direction, C type)",
            "FUNCTIONS: dict[tuple[str, str], tuple[str, tuple[tuple[str, str, str], ...]]]",
            _functions(),
        ),
        (
            "function of generation 3 that one of generation 2 has become -> as above",
            "SUCCESSORS: dict[str, tuple[str, tuple[tuple[str, str, str], ...]]]",
            _successors(),
        ),
        (
            "function of generation 2 -> the C types of its parameters in DOCA 2.5, where these were others",
            "OLDER: dict[str, tuple[str, ...]]",
            _older(),
        ),
        (
            "type of a callback -> its parameters in C order, each (name, C type)",
            "CALLBACKS: dict[str, tuple[tuple[str, str], ...]]",
            _callbacks(),
        ),
        (
            "struct of DOCA 1.2 to 1.4 -> its fields in C order, each (name, C type)",
            "STRUCTS: dict[str, tuple[tuple[str, str], ...]]",
            _structs(),
        ),
        ("(generation, old name) -> where it went", "RENAMES: dict[tuple[str, str], Rename]", _renames()),
        ("another spelling -> the proper name, same arguments", "ALIASES: dict[str, str]", aliases),
        ("(generation, constant) -> its value", "CONSTANTS: dict[tuple[str, str], int]", values),
        ("constant -> the member of an enum that it is in comch_next", "MEMBERS: dict[str, str]", _enum_members()),
        ("result code -> its class in comch_next", "ERROR_CLASSES: dict[str, str]", _error_classes()),
    )
    return TABLES_HEAD + "".join(mapping(*part) for part in parts)


# ---------------------------------------------------------------- the files


def outputs() -> dict[Path, str]:
    """Every generated file with the text that it should have."""
    return {
        ROOT / "comch_next" / "_codes.py": codes(),
        **{ROOT / "comch_next" / "declarations" / f"{name}.py": module(name) for name in MODULES},
        ROOT / "migrate" / "old_api" / "_tables.py": tables(),
        ROOT / "docs" / "symbols.md": symbols.page(),
    }


def is_stale(path: Path, text: str, check: bool) -> bool:
    """Whether a file lacks its text; told, and unless `check` put right."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    print(f"{path.relative_to(ROOT)}: {'stale' if check else 'written'}")
    if not check:
        path.write_text(text, encoding="utf-8")
    return True


def main() -> int:
    """Write what is stale, or with --check say what is and exit 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a text is stale")
    check = parser.parse_args().check
    missing, stray = symbols.status_gaps()
    for told, names in (("has no row", missing), ("has a row but is in no table", stray)):
        print(*(f"tools/status.toml: {name} {told}" for name in names), sep="\n", end="\n" if names else "")
    found = [is_stale(path, text, check) for path, text in outputs().items()]  # every one, so that all are told
    if not (check and any(found)):  # the tests import comch_next, and so what has just been written or found fresh
        from tests import topologies
        from tests.states import test_transitions
        from tools import bench_picture, failures, proofs, states, status, topology

        late = {
            ROOT / "docs" / "proofs.md": proofs.page(),
            ROOT / "docs" / "errors.md": failures.page(),
            ROOT / "docs" / "status.md": status.page(),
            ROOT / "docs" / "states.md": states.page(*test_transitions.TABLES),
            ROOT / "docs" / "states.svg": states.picture(test_transitions.TABLES[0]),
            ROOT / "docs" / "benchmarks.svg": bench_picture.committed(),
            ROOT / "comch_next" / "_spellings.py": status.spellings(),
            ROOT / "comch_next" / "driver" / "emulated" / "_fabric" / "topology.schema.json": topology.schema(
                topologies.READER
            ),
            ROOT / "comch_next" / "capi" / "_pointers.py": pointers(),
        }
        found += [is_stale(path, text, check) for path, text in late.items()]
    return int(bool(missing or stray) or (check and any(found)))


if __name__ == "__main__":
    sys.exit(main())
