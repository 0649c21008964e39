"""What an expression of a program can be that calls C through cffi or ctypes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from migrate.python.values import Token, Value

CFFI, CTYPES = "cffi", "ctypes"


class Shape(Enum):
    """What stands in the place of a C value that the program has made."""

    CELL = "a list of one item"
    BUFFER = "a bytearray"
    OBJECT = "an object with the fields of a struct"
    BYTES = "the bytes that it points to"


@dataclass(frozen=True)
class Package:
    """The module cffi, ctypes or ctypes.util."""

    name: str


@dataclass(frozen=True)
class Name:
    """A function or class of such a module, or a loader such as ctypes.cdll."""

    package: str
    name: str


@dataclass(frozen=True)
class Ffi:
    """An FFI object, by the call that makes it."""

    node: ast.expr


@dataclass(frozen=True)
class Member:
    """A method of an FFI object."""

    ffi: Ffi
    name: str


@dataclass(frozen=True)
class Library:
    """An opened library, by the call that opens it; ffi: of which FFI object."""

    node: ast.expr
    spelling: str
    ffi: Ffi | None = None


@dataclass(frozen=True)
class CFunction:
    """A function of an old library."""

    name: str
    spelling: str


@dataclass(frozen=True)
class Computed:
    """A function of an opened library, by a name that the program computes: of use for prototypes only."""

    library: Library


@dataclass(frozen=True)
class Stranger:
    """A function of a library other than the old ones."""

    library: Library
    name: str


@dataclass(frozen=True)
class Data:
    """A C value that the program makes and C fills, by the expression that makes it.

    holds: "handle", "list" (of handles), "number", "bytes", "text" or "struct". ffi: of which FFI object. ctype: the
    type of a number, of what is in a buffer, or the struct.
    """

    node: ast.expr
    shape: Shape
    holds: str
    spelling: str
    ffi: Ffi | None = None
    ctype: str = ""
    part_of: Data | None = None  # of which buffer it shows what is behind an offset

    @property
    def whole(self) -> Data:
        """The value that it is a part of; itself if it is not a part."""
        return self.part_of.whole if self.part_of else self


GIVEN = ast.Constant(None)  # stands for the place where the library makes the bytes that it gives a callback


@dataclass(frozen=True)
class Maker:
    """What makes a function of the program one that C can call: `ffi.callback("T")`, `CFUNCTYPE(...)`.

    kinds: the types of ctypes that the function takes. ctype: the type of the function that cffi is given.
    """

    spelling: str
    ffi: Ffi | None = None
    kinds: tuple[str, ...] = ()
    ctype: str = ""


@dataclass(frozen=True)
class Held:
    """A pointer that stands for an object of the program: what `ffi.new_handle` gives."""


@dataclass(frozen=True)
class UserData:
    """What the library gives a callback of what the program has kept with a handle."""

    spelling: str


@dataclass(frozen=True)
class View:
    """A buffer over a C value, which `ffi.buffer` gives, or a C value over a buffer, which `ffi.from_buffer` gives."""

    node: ast.expr
    is_buffer: bool


@dataclass(frozen=True)
class Pointer:
    """A handle as cffi or ctypes shows it. cell: what cffi has it from, which may be empty."""

    spelling: str
    cell: Data | None = None


@dataclass(frozen=True)
class Structs:
    """The old module, as what has the classes of structs."""


@dataclass(frozen=True)
class Struct:
    """The class of a struct."""

    name: str


@dataclass(frozen=True)
class Text:
    """A `const char *` that a C function gives."""

    spelling: str


@dataclass(frozen=True)
class Null:
    """A NULL pointer."""


@dataclass(frozen=True)
class Own:
    """A C value of a type of the program's own, or of another library, which stays one of cffi; with its FFI object."""

    ffi: Ffi | None


def keys(values: Iterable[Value]) -> Iterator[object]:
    """Yield what the tokens among some values stand for."""
    return (value.key for value in values if isinstance(value, Token))


def is_pointer_of(spelling: str, key: object) -> bool:
    """Whether what a token stands for is a handle as a package shows it."""
    return isinstance(key, Pointer) and key.spelling == spelling
