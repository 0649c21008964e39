"""Calls every function of libdoca_cc of a release with one pointer in turn NULL, stale, or of another struct.

Prints one line for each call: function, parameter, what the pointer was, what the call returned and should have, and
how many lines the SDK log got.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from cffi import FFI

from comch_next import api
from comch_next.api.prototypes import cdef
from comch_next.errors import ErrorCode
from tests.faces.bad_pointers import KINDS, Arguments, Log, tag_of
from tests.faces.support import of_release
from tests.faces.world import ffi as of_world

INVALID_VALUE = int(ErrorCode.INVALID_VALUE)
_MODERN = {row.old: row.new for row in api.renames() if row.what == "struct" and row.old.startswith("doca_cc_")}
_CALLBACKS = {row.name for row in api.callbacks("cc")}
ffi = FFI()
ffi.cdef(cdef("core", "cc"))  # a pointer to a number is one to either size


def tag(param: api.Param) -> str:
    """The struct of a handle as it is called today."""
    return _MODERN.get(tag_of(param), tag_of(param))


class Calls:
    """The functions of a release, and arguments for them: good ones, and one that is bad."""

    def __init__(self, doca: str) -> None:
        self.lib = ffi.dlopen(str(of_release(doca) / "lib" / "libdoca_cc.so.2"))
        self.rows = [api.in_release(row, doca) for row in api.functions("cc") if row.available_in(doca)]
        self.arguments = Arguments()
        self._kept: list[Any] = []

    def cases(self) -> Iterator[tuple[api.Function, api.Param, str]]:
        """Every bad pointer: any may be NULL, handles may be stale or of another struct too."""
        for row in self.rows:
            for param in row.params:
                if "*" in param.ctype or param.ctype in _CALLBACKS:
                    yield from ((row, param, kind) for kind in (KINDS if tag(param) else KINDS[:1]))

    def answer(self, row: api.Function, wrong: api.Param, kind: str) -> int:
        """Make the call, and return its result as a number."""
        given = [self._bad(param, kind) if param is wrong else self._good(param) for param in row.params]
        result = getattr(self.lib, row.name)(*given)
        return 0 if result is None or result == ffi.NULL else int(ffi.cast("uintptr_t", result))

    def _bad(self, param: api.Param, kind: str) -> Any:
        if kind == "null":
            return ffi.NULL
        if kind == "stale":
            return _pointer(self.arguments.stale.get(tag(param), 8))
        return _pointer(self.arguments.living["doca_pe"])

    def _good(self, param: api.Param) -> Any:
        if tag(param):
            return _pointer(self.arguments.living.get(tag(param), 8))
        if param.ctype in _CALLBACKS:
            self._kept.append(ffi.callback(param.ctype, lambda *_: None))
            return self._kept[-1]
        if "*" in param.ctype:
            self._kept.append(ffi.new("char[]", 512))
            return ffi.cast("void *", self._kept[-1])
        return 1


def _pointer(handle: Any) -> Any:
    """A handle of the other cffi, or an address, as a pointer of this one."""
    return ffi.cast("void *", int(of_world.cast("uintptr_t", handle)))


def expected(row: api.Function, kind: str, answer: int) -> int:
    """What the call should have returned; what it did where that is open."""
    if row.returns == "doca_error_t":
        return INVALID_VALUE
    is_cast = row.name.endswith(("_as_ctx", "_as_task"))  # no call takes its result afterwards
    return answer if is_cast and kind != "null" else 0


def main(doca: str) -> int:
    calls, log = Calls(doca), Log()
    for row, wrong, kind in calls.cases():
        print(row.name, wrong.name, kind, end=" ", flush=True)  # so that a crash names its call
        log.new_lines()
        answer = calls.answer(row, wrong, kind)
        print(answer, expected(row, kind, answer), log.new_lines(), flush=True)
    calls.arguments.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
