"""A function of the tables as the Python function that C calls: arguments read, results written, codes returned.

An implementation takes the inputs in C order and returns the outputs; it raises DocaError. Handles are their targets,
text is str, a buffer and its length are bytes. What C passes is read before the call and written after it, so that an
output is written on success only.
"""

from __future__ import annotations

import re
import signal
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, NoReturn

from comch_next.capi._watched import watched
from comch_next.capi.handles import HANDLES
from comch_next.driver.protocol import bytes_of, handing_on, shielded, text_of, uninterrupted_in_c
from comch_next.errors import Again, DocaError, ErrorCode, InvalidValue, NotPermitted, NotSupported

__all__ = [
    "Binding",
    "Call",
    "Function",
    "Lacking",
    "MOST_READ",
    "Param",
    "bytes_at",
    "tag_of",
    "whole",
]

Call = Callable[..., Any]
Reader = Callable[[Sequence[Any]], Any]
Writer = Callable[[Sequence[Any], Any], None]

_STRUCT = re.compile(r"(?:const )?struct (\w+) (\*+)")
MOST_READ = 1 << 16  # bytes; no endpoint's message, immediate data or description of a map is longer
_UNEXPECTED, _NO_MEMORY = map(int, (ErrorCode.UNEXPECTED, ErrorCode.NO_MEMORY))
_WARNING, _DEBUG = 40, 60  # enum doca_log_level
_MAKE_OR_END = {"doca_buf_dec_refcount", "doca_dpa_mem_alloc"}  # what their parameters do not show
_ENDS = ("_destroy", "_close", "_free", "_destroy_list")  # of the struct's name: gives the first argument back


def bytes_at(ffi: Any, pointer: Any, length: int) -> bytes | None:
    """Copy a caller's buffer; None for NULL. InvalidValue, with nothing read, for a length that none can have."""
    if length > MOST_READ:
        raise InvalidValue(f"a buffer of {length} bytes is longer than any that a call takes")
    copied: bytes | None = ffi.buffer(pointer, length)[:] if pointer else None
    return copied


class Lacking(NotSupported):
    """A device's answer that it lacks a capability, which is no mistake of the program's."""


def _level(error: DocaError) -> int:
    """How loud a refusal is: what the program cannot mend by its own means is a warning."""
    return _WARNING if isinstance(error, (NotPermitted, NotSupported)) and not isinstance(error, Lacking) else _DEBUG


class Param(NamedTuple):
    """One C parameter; direction is "in", "out" or "in,out"."""

    name: str
    direction: str
    ctype: str

    @property
    def is_input(self) -> bool:
        """Whether C passes something: by value always, whatever the header calls it."""
        return self.direction != "out" or "*" not in self.ctype

    @property
    def is_output(self) -> bool:
        """Whether a result belongs there."""
        return self.direction != "in" and "*" in self.ctype


class Function(NamedTuple):
    """One C function."""

    name: str
    returns: str
    params: tuple[Param, ...]


class Binding:
    """One face's functions: `ffi` and `lib` are what cffi made of it."""

    def __init__(self, ffi: Any, lib: Any) -> None:
        self.ffi, self.lib = ffi, lib
        # Called from C: (kind, error, trace), and (error). Two interrupts may come at once, the second one there.
        self.unexpected, self.refused = handing_on(self._handed_on), shielded(self.code_of)
        ffi.def_extern(name="comch_face_enter", onerror=self.unexpected)(lambda: None)
        self._called = frozenset(name[3:] for name in dir(lib) if name.startswith("py_"))

    def rows(self, tables: Mapping[str, tuple[str, tuple[tuple[str, str, str], ...]]]) -> list[Function]:
        """List those functions of generated tables that the library calls Python for."""
        found = ((name, *tables[name]) for name in tables if name in self._called)
        return [Function(name, returns, tuple(Param(*param) for param in params)) for name, returns, params in found]

    def attach(self, name: str, function: Call, is_coded: bool | None = None, *, unanswered: int | None = None) -> None:
        """Have C call this function; what it raises goes to `unexpected`, and is UNEXPECTED where there is a code.

        `is_coded`: whether the result is a code; unless it is given, an int is one. `unanswered`: what C gets instead
        of another result; 0 or NULL, unless it is given.
        """
        if is_coded is None:
            is_coded = self._result(name).cname == "int"
        error = _UNEXPECTED if is_coded else unanswered
        self.ffi.def_extern(name=f"py_{name}", error=error, onerror=self.unexpected)(watched(name, is_coded, function))

    def _result(self, name: str) -> Any:
        return self.ffi.typeof(getattr(self.lib, f"py_{name}")).result

    def _handed_on(self, kind: type[BaseException], error: BaseException, trace: Any) -> BaseException | None:
        """Log a defect. Return what a handler of a signal has raised: it is for the program, which C cannot tell."""
        of_handler = _of_handler(trace)
        if of_handler is None and isinstance(error, Exception):
            self.lib.comch_face_report("".join(traceback.format_exception(kind, error, trace)).encode())
            return None
        return error.with_traceback(of_handler)

    def quiet(self, name: str, function: Call) -> Call:
        """Make the function do nothing where it is refused, whose reason is logged, and return 0 or NULL."""
        refused = None if self._result(name).kind == "void" else 0

        def run(*args: Any) -> Any:
            try:
                return function(*args)
            except DocaError as error:
                self.code_of_refusal(error)
                return refused

        return run

    def coded(self, function: Call) -> Call:
        """Make the function return the code of the DocaError that it raises, whose reason is logged."""

        def run(*args: Any) -> int:
            try:
                return int(function(*args))
            except DocaError as error:
                return self.code_of_refusal(error)
            except MemoryError:
                return _NO_MEMORY

        return run

    def code_of(self, error: BaseException) -> int | None:
        """Return the code of a refusal, whose reason is logged; None for what `unexpected` is for."""
        if isinstance(error, DocaError):
            return self.code_of_refusal(error)
        return _NO_MEMORY if isinstance(error, MemoryError) else None

    def code_of_refusal(self, error: DocaError) -> int:
        """Return the code of a refusal, whose reason is logged, but for the one that programs poll for."""
        if not isinstance(error, Again):
            self.lib.comch_face_log(_level(error), str(error).encode(errors="replace"))
        return int(error.code)

    def bind(self, row: Function, call: Call) -> None:
        """Attach an implementation to the function of a row."""
        function = self._coded(row, call) if row.returns == "doca_error_t" else self._plain(row, call)
        self.attach(row.name, whole(row, function))

    def _coded(self, row: Function, call: Call) -> Call:
        readers, writers = [*self._readers(row)], [*self._writers(row)]
        ended = _ended(row)

        def run(*args: Any) -> int:
            result = call(*[read(args) for read in readers])
            if ended is not None:
                HANDLES.drop(HANDLES.find(ended, args[0]))
            if len(writers) == 1:
                writers[0](args, result)
            else:
                for write, value in zip(writers, result or (), strict=True):
                    write(args, value)
            return 0

        return self.coded(run)

    def _plain(self, row: Function, call: Call) -> Call:
        """A function without a code: what is refused does nothing, and returns 0 or NULL."""
        readers, ended, tag = [*self._readers(row)], _ended(row), tag_of(row.returns)
        of = tag_of(row.params[0].ctype) if row.params else ""

        def run(*args: Any) -> Any:
            result = call(*[read(args) for read in readers])
            if ended is not None:
                HANDLES.drop(HANDLES.find(ended, args[0]))
            if tag:
                return 0 if result is None else HANDLES.within(HANDLES.find(of, args[0]), tag, result).address
            return None if row.returns == "void" else int(result)

        return self.quiet(row.name, run)

    # Arguments

    def _readers(self, row: Function) -> Iterator[Reader]:
        """A reader for each input; one of a buffer reads its length too."""
        skipped = -1
        for place, param in enumerate(row.params):
            if not param.is_input or place == skipped or _is_size_of_text(row, place):
                continue
            if param.ctype in ("const void *", "uint8_t *"):
                skipped = place + 1
                yield self._bytes(place)
            else:
                yield self._reader(row, place, param)

    def _reader(self, row: Function, place: int, param: Param) -> Reader:
        ffi, tag = self.ffi, tag_of(param.ctype)
        if tag and param.ctype.count("*") > 1:
            return lambda args: HANDLES.find(f"{tag} *", args[place]).target
        if tag:
            may_be_null = param.name == "buf"  # immediate data only
            return lambda args: None if may_be_null and not args[place] else HANDLES.find(tag, args[place]).target
        if param.ctype == "const char *":
            return lambda args: text_of(ffi.string(args[place])) if args[place] else _refuse_null(param.name)
        if param.ctype == "void *":
            return lambda args: int(ffi.cast("uintptr_t", args[place]))
        if param.ctype == "const union doca_data *":
            return lambda args: args[place][0] if args[place] else 0
        return lambda args: args[place]

    def _bytes(self, place: int) -> Reader:
        ffi = self.ffi
        return lambda args: bytes_at(ffi, args[place], args[place + 1])

    # Results

    def _writers(self, row: Function) -> Iterator[Writer]:
        """A writer for each output; one of a list writes its length too."""
        skipped = -1
        for place, param in enumerate(row.params):
            if not param.is_output or place == skipped:
                continue
            if param.ctype.endswith("***") or param.ctype == "const void **":
                skipped = place + 1
            yield self._writer(row, place, param)

    def _writer(self, row: Function, place: int, param: Param) -> Writer:
        tag, stars = tag_of(param.ctype), param.ctype.count("*")
        if tag and stars == 3:
            return self._list(place, tag)
        if tag and stars == 2:
            return lambda args, value: _set(args[place], 0 if value is None else HANDLES.of(tag, value).address)
        if tag:  # struct doca_pci_bdf, which is its number
            return lambda args, value: _set(self.ffi.cast("uint16_t *", args[place]), value)
        if param.ctype == "char *":
            return self._text(place, _is_size_of_text(row, place + 1))
        if param.ctype == "const void **":
            return self._shown(place)
        return lambda args, value: _set(args[place], int(value))

    def _text(self, place: int, sized: bool) -> Writer:
        def write(args: Sequence[Any], value: str) -> None:
            data = bytes_of(value) + b"\0"
            if sized and len(data) > args[place + 1]:
                raise InvalidValue(f"{value!r} and its NUL do not fit in {args[place + 1]} bytes")
            self.ffi.memmove(args[place], data, len(data))

        return write

    def _list(self, place: int, tag: str) -> Writer:
        """Show C an array of handles, which lives until it is given back; its handles end with it."""

        def write(args: Sequence[Any], targets: list[Any]) -> None:
            array = self.ffi.new("uintptr_t[]", len(targets) + 1)
            listed = HANDLES.new(f"{tag} *", targets, address=int(self.ffi.cast("uintptr_t", array)))
            listed.kept = array
            for index, target in enumerate(targets):
                array[index] = HANDLES.new(tag, target, listed).address
            args[place][0], args[place + 1][0] = listed.address, len(targets)

        return write

    def _shown(self, place: int) -> Writer:
        """Show C bytes that live as long as the first argument; the same ones are shown once."""

        def write(args: Sequence[Any], data: bytes) -> None:
            owner = HANDLES.find("doca_mmap", args[0])
            owner.kept = owner.kept or {}
            shown = owner.kept.setdefault(data, self.ffi.from_buffer(data))
            args[place][0], args[place + 1][0] = int(self.ffi.cast("uintptr_t", shown)), len(data)

        return write


def tag_of(ctype: str) -> str:
    """The struct's name, of a pointer to one."""
    match = _STRUCT.fullmatch(ctype)
    return match[1] if match else ""


def _of_handler(trace: TracebackType | None) -> TracebackType | None:
    """Return the frames of the program's handler of a signal, which may run in any Python code; None without one."""
    codes = {getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals()}
    while trace is not None and trace.tb_frame.f_code not in codes:
        trace = trace.tb_next
    return trace


def _ended(row: Function) -> str | None:
    """What the function gives back, as HANDLES has it."""
    ctype = row.params[0].ctype if row.params else ""
    tag = tag_of(ctype)
    if not tag or row.name.removeprefix(tag.removesuffix("_t")) not in _ENDS:
        return None
    return tag + " *" * (ctype.count("*") - 1)


def whole(row: Function, function: Call) -> Call:
    """Return the function of a row, for whose end signals wait where it makes or ends a handle.

    A signal's handler that interrupted it could leave the program without the pointer of what lives.
    """
    makes = row.name in _MAKE_OR_END or any(param.is_output and tag_of(param.ctype) for param in row.params)
    return uninterrupted_in_c(function) if makes or _ended(row) is not None else function


def _is_size_of_text(row: Function, place: int) -> bool:
    """Whether a parameter is the size of the buffer before it, which takes text."""
    params = row.params
    return 0 < place < len(params) and params[place].name == "size" and params[place - 1].ctype == "char *"


def _set(pointer: Any, value: int) -> None:
    if pointer:
        pointer[0] = value


def _refuse_null(name: str) -> NoReturn:
    raise InvalidValue(f"{name} is NULL")
