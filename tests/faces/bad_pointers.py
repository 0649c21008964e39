"""Calls every function of the faces with one pointer in turn NULL, stale, or of another struct; run as a program.

Prints one line for each call: function, parameter, what the pointer was, what the call returned, and how many lines the
SDK log got.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import Any

from comch_next import api
from tests.faces.world import World, check, ffi, lib, made

FACES: tuple[api.Generation, ...] = ("core", "comch", "dpa", "comm_channel")
KINDS = ("null", "stale", "foreign")
_TAG = re.compile(r"struct (\w+) \*")
_NO_FACE = re.compile(r"doca_log")  # written in C, not of handles; its backends are tried by its own tests


def functions() -> list[api.Function]:
    """What the faces generate: every function but the log's."""
    rows = {row.name: row for generation in FACES for row in api.functions(generation)}
    return [row for row in rows.values() if not _NO_FACE.match(row.name)]


def is_callback(param: api.Param) -> bool:
    return param.ctype.removesuffix(" *") in _CALLBACKS


def tag_of(param: api.Param) -> str:
    """The struct of a handle that is passed, or nothing."""
    match = _TAG.fullmatch(param.ctype.removeprefix("const "))
    return match[1] if match and match[1] != "doca_pci_bdf" else ""


def is_pointer(param: api.Param) -> bool:
    return "*" in param.ctype or is_callback(param)


def cases() -> Iterator[tuple[api.Function, api.Param, str]]:
    """Every bad pointer: any may be NULL, handles may be stale or of another struct too."""
    for row in functions():
        for param in row.params:
            if is_pointer(param):
                yield row, param, "null"
            if tag_of(param):
                yield from ((row, param, kind) for kind in ("stale", "foreign"))


_CALLBACKS = {row.name for generation in FACES for row in api.callbacks(generation)}


class Log:
    """The SDK log, at level DEBUG."""

    def __init__(self) -> None:
        self._file = open(os.memfd_create("log"), "wb")  # noqa: SIM115  # C writes to it until the process ends
        self._read = 0
        backend = made(lib.doca_log_backend_create_with_file_sdk, self._file)
        check(lib.doca_log_backend_set_sdk_level(backend, lib.DOCA_LOG_LEVEL_DEBUG))

    def new_lines(self) -> int:
        """How many lines there are that were not counted before."""
        new = os.pread(self._file.fileno(), 1 << 20, self._read)
        self._read += len(new)
        return new.count(b"\n")


class Arguments:
    """Good arguments, from a world that lives, and bad ones, from one that has ended."""

    def __init__(self) -> None:
        ended = World("ended")
        self.stale = self._pointers(ended)
        ended.close()
        self.world = World("living")
        self.living = self._pointers(self.world)
        self.idle_mmap = made(lib.doca_mmap_create)

    def close(self) -> None:
        """Give back what it made."""
        check(lib.doca_mmap_destroy(self.idle_mmap))
        self.world.close()

    def _pointers(self, world: World) -> dict[str, Any]:
        return {tag: handle for tag, handle in world.handles.items() if not tag.endswith("*")}

    def bad(self, param: api.Param, kind: str) -> Any:
        """The one bad argument."""
        if kind == "null":
            return ffi.NULL
        tag = tag_of(param)
        if kind == "stale":
            return ffi.cast("void *", self.stale.get(tag, 8))
        return ffi.cast("void *", self.living["doca_mmap" if tag == "doca_pe" else "doca_pe"])

    def good(self, row: api.Function, param: api.Param) -> Any:
        """Any other."""
        tag = tag_of(param)
        if row.name.startswith("doca_mmap_set_") and tag == "doca_mmap":
            return self.idle_mmap
        if row.name in (
            "doca_buf_dec_refcount",
            "doca_buf_refcount_rm",
        ):  # which may succeed, and would give the buffer back
            check(lib.doca_buf_inc_refcount(self.living["doca_buf"], ffi.new("uint16_t *")))
        if tag:
            return ffi.cast("void *", self.living.get(tag, 8))
        if is_callback(param):
            return self.world.callback(param.ctype.removesuffix(" *"))
        if param.ctype in ("const char *", "const void *"):
            return ffi.new("char[]", b"text")
        if "**" in param.ctype and not param.is_output:
            return self.world.handles.get(f"{_TAG.match(param.ctype)[1]} *", ffi.NULL)  # type: ignore[index]
        if "*" in param.ctype:
            self.world.kept.append(ffi.new("char[]", 512))
            return ffi.cast("void *", self.world.kept[-1])
        return 0 if param.name == "flags" else 1


def main() -> int:
    check(lib.doca_argp_init(b"program", ffi.NULL))
    arguments = Arguments()
    arguments.living["doca_argp_param"] = made(lib.doca_argp_param_create)
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    log = Log()
    for row, bad, kind in cases():
        if wanted not in row.name:
            continue
        print(row.name, bad.name, kind, end=" ", flush=True)  # so that a crash names its call
        given = [arguments.bad(param, kind) if param is bad else arguments.good(row, param) for param in row.params]
        log.new_lines()  # of what the arguments were made by
        result = getattr(lib, row.name)(*given)
        number = 0 if result is None or result == ffi.NULL else int(ffi.cast("uintptr_t", result))
        print(number, log.new_lines(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
