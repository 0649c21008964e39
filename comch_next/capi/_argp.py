"""The functions of libdoca_argp: a program's command line, or a JSON file in its place (guide: DOCA Arg Parser)."""

from __future__ import annotations

import getopt
import json
import re
import sys
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any, NoReturn

from comch_next._codes import LogLevel
from comch_next.capi._callbacks import Callbacks
from comch_next.capi.binding import Binding
from comch_next.capi.handles import HANDLES
from comch_next.declarations.core import FUNCTIONS
from comch_next.driver.protocol import by_system, bytes_of, text_of
from comch_next.errors import BadState, DocaError, Initialization, InvalidValue, IoFailed, NotSupported, from_code

__all__ = ["attach"]

_CALLBACK = "doca_argp_param_cb_t"
_NO_FLAGS = ("-", ":")  # what a command line, or getopt, has for something else
_NUMBER = re.compile("-?[0-9]+")
_MOST_DIGITS = 9  # of a level
_LEVELS = ", ".join(f"{level.value}={level.name}" for level in LogLevel)


class Kind(IntEnum):
    """enum doca_argp_type"""

    UNKNOWN = 0
    STRING = 1
    INT = 2
    BOOLEAN = 3
    JSON_OBJ = 4


class Param:
    """One flag as the program describes it; `call` gets its value."""

    def __init__(self, short: str = "", long: str = "", description: str = "", kind: Kind = Kind.UNKNOWN) -> None:
        self.short, self.long, self.description, self.kind = short, long, description, kind
        self.call: Callable[[Any], None] | None = None
        self.callback = 0
        self.mandatory = False

    @property
    def shown(self) -> str:
        """The flag as a command line has it."""
        return ", ".join([f"-{self.short}"] * bool(self.short) + [f"--{self.long}"] * bool(self.long))

    @property
    def takes_value(self) -> bool:
        return self.kind is not Kind.BOOLEAN


class Parser:
    """The one parser of a process, between doca_argp_init and doca_argp_destroy."""

    def __init__(self, ffi: Any, lib: Any) -> None:
        self._ffi, self._lib = ffi, lib
        self._callbacks = Callbacks(ffi)
        self._program = ""
        self._config = 0
        self._open = False
        self._params: list[Param] = []
        self._version: Callable[[Any], None] = self._show_release

    def init(self, program_name: str, program_config: int) -> None:
        if self._open:
            raise BadState("argp_init: the parser has been initialised; destroy it first")
        self._program, self._config, self._open = program_name, program_config, True
        self._params = list(self._general())

    def destroy(self) -> None:
        self._check_open("argp_destroy")
        self._open, self._params, self._version = False, [], self._show_release
        for handle in list(HANDLES.of_tag("doca_argp_param").values()):
            HANDLES.drop_one(handle)

    def param_create(self) -> Param:
        self._check_open("argp_param_create")
        return Param()

    def register_param(self, param: Param) -> None:
        self._check_open("argp_register_param")
        if param in self._params:
            raise BadState(f"argp_register_param: {param.shown} is registered already")
        if not (param.shown and param.description and param.kind and param.callback):
            raise Initialization("argp_register_param takes a parameter with a name, description, type and callback")
        taken = {name for known in self._params for name in (known.short, known.long) if name}
        if {param.short, param.long} & taken:
            raise InvalidValue(f"argp_register_param: another parameter has a name of {param.shown}")
        if len(param.short) > 1 or param.short in _NO_FLAGS or "=" in param.long or param.long.startswith("-"):
            text = "a short name is one character, not - or :, and a long one has no = and does not begin with -"
            raise InvalidValue(f"argp_register_param: {param.shown} can be no flag; {text}")
        param.call = self._program_callback(param.callback, param.kind)
        self._params.append(param)

    def register_version_callback(self, callback: int) -> None:
        self._check_open("argp_register_version_callback")
        self._version = self._program_callback(callback, Kind.BOOLEAN)

    def start(self, argc: int, argv: int) -> None:
        """Parse, and call back for each flag in the order of the command line."""
        self._check_open("argp_start")
        words = self._ffi.cast("char **", argv)
        if not words or argc < 1 or not all(words[place] for place in range(1, argc)):
            raise InvalidValue("argp_start takes the arguments of main")
        given = list(self._parsed([text_of(self._ffi.string(words[place])) for place in range(1, argc)]))
        for param, text in given:
            assert param.call is not None
            param.call(text)
        missing = [param.shown for param in self._params if param.mandatory and param not in dict(given)]
        if missing:
            self._complain(f"mandatory and not given: {', '.join(missing)}", InvalidValue)

    def _check_open(self, call: str) -> None:
        if not self._open:
            raise BadState(f"{call}: the parser has not been initialised, or has been destroyed")

    # The command line

    def _parsed(self, arguments: list[str]) -> Iterator[tuple[Param, Any]]:
        short = "".join(param.short + ":" * param.takes_value for param in self._params if param.short)
        long = [param.long + "=" * param.takes_value for param in self._params if param.long]
        try:
            flags, rest = getopt.gnu_getopt(arguments, short, long)
        except getopt.GetoptError as error:
            known = {name for param in self._params for name in (param.short, param.long) if name}
            self._complain(str(error), InvalidValue if error.opt in known else NotSupported)
        if rest:
            self._complain(f"{rest[0]!r} is not a flag", InvalidValue)
        named = {f"-{param.short}": param for param in self._params if param.short}
        named |= {f"--{param.long}": param for param in self._params if param.long}
        for flag, text in flags:
            if named[flag].long == "json":
                yield from self._from_file(text)
            else:
                yield named[flag], text if named[flag].takes_value else True

    def _from_file(self, path: str) -> Iterator[tuple[Param, Any]]:
        """What a JSON file has in a command line's place: long names and values, perhaps in groups of flags."""
        try:
            with open(path, encoding="utf-8") as file:
                found = dict(json.load(file))
        except by_system(OSError, ValueError, TypeError, RecursionError) as error:
            self._complain(f"{path}: {error}", IoFailed)
        known = {param.long: param for param in self._params if param.call is not None}  # no file names another one
        for title in ("doca_general_flags", "doca_program_flags"):
            group = found.get(title) or {}
            if not isinstance(group, dict):
                self._complain(f"{path}: {title} is {group!r:.60}, and no flags with their values", IoFailed)
            for name, value in group.items():
                if name not in known:
                    self._complain(f"{path}: {name!r} is not a flag", NotSupported)
                if value is not False:  # a flag that is not given
                    yield known[name], value

    def _complain(self, text: str, kind: type[DocaError]) -> NoReturn:
        _write(sys.stderr, f"{self._program}: {text}; see --help")
        raise kind(text)

    # Values

    def _program_callback(self, address: int, kind: Kind) -> Callable[[Any], None]:
        function = self._callbacks.at(_CALLBACK, address)

        def call(value: Any) -> None:
            memory = self._in_c(value, kind)
            code = function(self._ffi.cast("char *", memory), self._ffi.cast("char *", self._config))
            if code:
                raise from_code(code, "the callback of a parameter refused its value")

        return call

    def _in_c(self, value: Any, kind: Kind) -> Any:
        """The value as the callback gets it: a pointer to text, an int or a bool."""
        text = value if isinstance(value, str) else json.dumps(value)
        if kind is Kind.INT:
            try:
                if _NUMBER.fullmatch(text):
                    return self._ffi.new("int *", int(text))
            except by_system(ValueError, OverflowError):  # of too many digits
                pass
            self._complain(f"{value!r} is not a whole number", InvalidValue)
        if kind is Kind.BOOLEAN:
            return self._ffi.new("bool *", bool(value))
        return self._ffi.new("char[]", bytes_of(text))

    # The flags of every program

    def _general(self) -> Iterator[Param]:
        rows: tuple[tuple[str, str, str, Kind, Callable[[Any], None] | None], ...] = (
            ("h", "help", "show this text and exit", Kind.BOOLEAN, self._show_usage),
            ("v", "version", "show the version and exit", Kind.BOOLEAN, lambda value: self._version(value)),
            ("l", "log-level", f"the program's log level: {_LEVELS}", Kind.INT, self._set_level),
            ("", "sdk-log-level", f"the library's log level: {_LEVELS}", Kind.INT, self._set_sdk_level),
            ("j", "json", "read the flags from a JSON file", Kind.STRING, None),
        )
        for short, long, description, kind, call in rows:
            param = Param(short, long, description, kind)
            param.call = call
            yield param

    def _show_usage(self, _: Any) -> NoReturn:
        lines = (f"  {param.shown + ' <value>' * param.takes_value:<28} {param.description}" for param in self._params)
        self._leave("\n".join([f"Usage: {self._program} [flags]\n", *lines]))

    def _show_release(self, _: Any) -> NoReturn:
        self._leave(f"DOCA {self._ffi.string(self._lib.doca_version()).decode()}")

    def _leave(self, text: str) -> NoReturn:
        _write(sys.stdout, text)
        self._lib.exit(0)
        raise AssertionError("exit has returned")

    def _set_level(self, value: Any) -> None:
        self._check_level(value, self._lib.doca_log_level_set_global_lower_limit)

    def _set_sdk_level(self, value: Any) -> None:
        self._check_level(value, self._lib.doca_log_level_set_global_sdk_limit)

    def _check_level(self, value: Any, set_limit: Callable[[int], int]) -> None:
        digits = str(value)
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS) or set_limit(int(digits)):
            self._complain(f"{value!r} is not a log level; legal are {_LEVELS}", InvalidValue)


def _write(file: Any, text: str) -> None:
    """Write a line as C does, as the bytes that the program has given, whatever encoding the interpreter has chosen."""
    if file is None:  # its descriptor was closed when the interpreter started
        return
    file.flush()
    if (buffer := getattr(file, "buffer", None)) is None:  # a file of the program's, of text alone
        file.write(f"{text}\n")
    else:
        buffer.write(bytes_of(f"{text}\n"))
        buffer.flush()


def _set_kind(param: Param, kind: int) -> None:
    param.kind = Kind(kind) if kind in list(Kind) else Kind.UNKNOWN


def _set_mandatory(param: Param) -> None:
    param.mandatory = True


def attach(ffi: Any, lib: Any) -> None:
    """Give the library its functions."""
    binding, parser = Binding(ffi, lib), Parser(ffi, lib)
    setters: dict[str, Callable[..., None]] = {
        "param_set_short_name": lambda param, name: setattr(param, "short", name),
        "param_set_long_name": lambda param, name: setattr(param, "long", name),
        "param_set_description": lambda param, text: setattr(param, "description", text),
        "param_set_callback": lambda param, callback: setattr(param, "callback", callback),
        "param_set_type": _set_kind,
        "param_set_mandatory": _set_mandatory,
    }
    for row in binding.rows(FUNCTIONS):
        name = row.name.removeprefix("doca_argp_")
        binding.bind(row, setters.get(name) or getattr(parser, name))
