"""The C functions of the libraries that were found, by name, in the spelling of their release.

Everything is declared from the fact tables, at installation: to parse that takes longer than all else at a start. The
release is read when the libraries are loaded: of two spellings of a function it decides which comes first, and a
function that the libraries do not export refuses with NOT_SUPPORTED.
"""

import re
from collections.abc import Callable
from typing import Any, NoReturn

from packaging.version import Version

from comch_next import api
from comch_next.api import Function
from comch_next.driver.native._declared import ffi
from comch_next.driver.native._find import open_libraries
from comch_next.driver.protocol import by_system
from comch_next.errors import DocaError, InvalidValue, NotSupported, code_name, describe, from_code

__all__ = ["Library", "check", "ffi", "passed", "refusal", "text"]

_OLDEST = Version("2.7")  # the first release with libdoca_comch
_RELEASE = re.compile(r"\d+(?:\.\d+)+")
_TELL_VERSION = ("doca_version_runtime", "doca_version")  # the second one is in no library whose header has it inline


class Library(dict[str, Callable[..., Any]]):
    """Functions by the name that the newest release gives them, each looked up when it is first asked for.

    `version` is None if the library does not report it.
    """

    def __init__(self) -> None:
        opened = open_libraries(ffi)
        self._opened = {generation: library for generation, (library, _) in opened.items()}
        self.paths = {generation: path for generation, (_, path) in opened.items()}
        self.version = self._read_version()
        if self.version is not None and self.version < _OLDEST:
            text = f"{self.paths['core']} is of DOCA {self.version}; Comch begins with {_OLDEST}"
            raise NotSupported(f"driver 'native' cannot be loaded: {text}")

    def _read_version(self) -> Version | None:
        for name in _TELL_VERSION:
            function = self._exported(api.function(name))
            if function is not None:
                found = _RELEASE.search(text(function()))
                return Version(found.group()) if found else None
        return None

    def _exported(self, row: Function) -> Callable[..., Any] | None:
        try:
            function: Callable[..., Any] = getattr(self._opened[row.generation], row.name)
        except ffi.error:
            return None
        return function

    def __missing__(self, name: str) -> Callable[..., Any]:
        self[name] = function = self._spelled(name)
        return function

    def _spelled(self, name: str) -> Callable[..., Any]:
        """Find the function under the first of its spellings that is exported, those of this release first."""
        row = api.function(name)
        rows = [row, *(older for older in api.functions(row.generation) if older.replaced_by == name)]
        if self.version is not None:
            release = self.version
            rows.sort(key=lambda spelling: not spelling.available_in(release))
        exported = (self._exported(spelling) for spelling in rows)
        return next((function for function in exported if function is not None), self._absent(row))

    def address_of(self, name: str) -> int:
        """Return where a function is; 0 for one that refuses."""
        function = self[name]
        return int(ffi.cast("uintptr_t", function)) if isinstance(function, ffi.CData) else 0

    def _absent(self, row: Function) -> Callable[..., NoReturn]:
        release = "of an unknown release" if self.version is None else f"of DOCA {self.version}"
        text = f"{row.name}: {self.paths[row.generation]}, {release}, has no such function"

        def refuse(*_: object) -> NoReturn:
            raise NotSupported(f"{text}; releases that have it: {row.since or 'not known'}")

        return refuse


def check(code: int, call: str) -> None:
    """Raise what a C function has returned, unless that is DOCA_SUCCESS."""
    if code:
        raise refusal(code, call)


def refusal(code: int, call: str, **details: Any) -> DocaError:
    """Make the exception for what a C function has returned; the text is the header's condition for that code."""
    name = code_name(code)
    documented = (row.when for row in api.function(call).errors if row.code == name)
    return from_code(code, f"{call} returned {name}: {next(documented, describe(code))}", **details)


def passed(function: Callable[..., Any], name: str, *args: Any) -> None:
    """Call a C function that returns a code, and raise that; INVALID_VALUE for what no such parameter can hold."""
    try:
        code = function(*args)
    except by_system(TypeError, OverflowError) as error:
        raise InvalidValue(f"{name}: {error}") from None
    check(code, name)


def text(pointer: Any) -> str:
    """Return a C text."""
    found: Any = ffi.string(pointer)
    return str(found, "utf-8", "replace")
