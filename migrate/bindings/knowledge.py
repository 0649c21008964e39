"""cffi and ctypes, as the points-to analysis meets them."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

from migrate.bindings import shapes
from migrate.bindings.declarations import Declarations
from migrate.bindings.tokens import (
    CFFI,
    CTYPES,
    GIVEN,
    CFunction,
    Computed,
    Data,
    Ffi,
    Held,
    Library,
    Maker,
    Member,
    Name,
    Null,
    Own,
    Package,
    Pointer,
    Shape,
    Stranger,
    Struct,
    Structs,
    Text,
    UserData,
    View,
    keys,
)
from migrate.old_api.vocabulary import Parameter, Vocabulary
from migrate.python.values import Arguments, Bound, CallBack, External, Function, Given, Kept, Plain, Token, Value

_LOADERS = frozenset({"cdll", "pydll"})
_LIBRARIES = frozenset({"CDLL", "PyDLL"})
REFERENCES = frozenset({"byref", "pointer", "addressof"})
_WIDTHS = ("8", "16", "32", "64")
_KINDS = ("int", "long", "longlong", "short", "size_t", "byte", *(f"int{width}" for width in _WIDTHS))
_INTEGERS = frozenset({*(f"c_{sign}{kind}" for sign in ("", "u") for kind in _KINDS), "c_ssize_t", "c_bool"})
_BUFFERS = frozenset({"create_string_buffer"})
_MODULES = {"cffi": CFFI, "ctypes": CTYPES, "ctypes.util": "ctypes.util"}
_OBJECTS = "the objects that handles are made for"
_MOST_PARAMETERS = 8  # of what a function of another library calls back
_MESSAGE = "uint8_t *"
_POINTER = "POINTER"  # what it gives is a class: POINTER(c_char)


class Called(NamedTuple):
    """What the library gives a function behind its first arguments, which are given already."""

    parameters: tuple[Parameter, ...]
    given: int


class Bindings:
    """The Knowledge of the two packages.

    met: C values that are given to functions of other libraries. called: the functions that the library calls.
    """

    def __init__(self, vocabulary: Vocabulary, declarations: Declarations) -> None:
        self._vocabulary, self._declarations = vocabulary, declarations
        self.met: set[Data | View] = set()
        self.called: dict[ast.FunctionDef | ast.Lambda, set[Called]] = {}
        self._kinds: dict[ast.AST, set[str]] = {}  # the types that cffi makes functions of

    def module(self, name: str) -> Token | None:
        """Return the token of one of the packages."""
        if name in self._vocabulary.packages and self._vocabulary.renamed:
            return Token(Structs())
        known = name in _MODULES or name in self._declarations.compiled
        return Token(Package(_MODULES.get(name, name))) if known else None

    def attribute(self, token: Token, name: str) -> Iterable[Given] | None:
        """Return what reading an attribute of a token gives."""
        key = token.key
        if isinstance(key, Package):
            if key.name == CTYPES and name == "util":
                return [Token(Package("ctypes.util"))]
            if key.name in self._declarations.compiled:
                return [Token(Ffi(self._declarations.compiled[key.name])) if name == "ffi" else Plain.UNKNOWN]
            is_base = name in ("Structure", "Union", "BigEndianStructure", "LittleEndianStructure")
            return [External(f"ctypes.{name}") if is_base else Token(Name(key.name, name))]
        if isinstance(key, Structs):
            return [Token(Struct(name)) if name in self._vocabulary.renamed else Plain.UNKNOWN]
        if isinstance(key, Ffi):
            return [Token(Null())] if name == "NULL" else [Token(Member(key, name))]
        if isinstance(key, Library):
            return [self._of_library(key, name)]
        if isinstance(key, Name) and key.package == CTYPES and key.name in _LOADERS and name == "LoadLibrary":
            return [Token(Name(CTYPES, "CDLL"))]
        if isinstance(key, Own):
            return _part_of(key)
        is_pointer = isinstance(key, Data) and (key.spelling, key.holds, name) == (CTYPES, "handle", "value")
        return [Token(Pointer(CTYPES)), Plain.NONE] if is_pointer else [Plain.OTHER]

    def _of_library(self, library: Library, name: str) -> Value:
        if name in self._vocabulary.flat:
            return Token(CFunction(name, library.spelling))
        if name in self._vocabulary.constants:
            return Plain.OTHER
        return Token(Computed(library) if name == "*" else Stranger(library, name))

    def call(self, token: Token, node: ast.expr, arguments: Arguments) -> Iterable[Given] | None:
        """Return what calling a token gives."""
        key = token.key
        if isinstance(key, Name):
            return self._of_package(key, node, arguments)
        if isinstance(key, Member):
            return self._of_ffi(key, node, arguments)
        if isinstance(key, CFunction):
            function = self._vocabulary.flat[key.name]
            if function.returns.startswith("union"):
                return [Token(UserData(key.spelling))]
            if "return" in function.kinds and any(Token(Null()) in given for given in arguments.positional):
                return [Token(Pointer(key.spelling)), Token(Null())]
            is_text = function.returns == "const char *"
            return [Token(Text(key.spelling) if is_text else Pointer(key.spelling))
                    if is_text or "return" in function.kinds else Plain.OTHER]  # fmt: skip
        if isinstance(key, Struct):
            return [Token(Data(node, *shapes.of_struct(key.name), CTYPES, ctype=key.name))]
        if isinstance(key, Maker):
            return self._made(key, arguments.positional[0]) if arguments.positional else []
        if isinstance(key, Stranger | Computed):
            given = [*arguments.positional, *arguments.keywords.values(), arguments.hidden]
            found = (value.key for values in given for value in values if isinstance(value, Token))
            self.met.update(data.whole if isinstance(data, Data) else data
                            for data in found if isinstance(data, Data | View))  # fmt: skip
            return _part_of(Own(key.library.ffi))
        return []

    def _of_package(self, name: Name, node: ast.expr, arguments: Arguments) -> Iterable[Given]:
        if (name.package, name.name) == (CFFI, "FFI"):
            return [Token(Ffi(node))]
        if name.name in _LIBRARIES:
            return [Token(Library(node, CTYPES))]
        if name.name in ("CFUNCTYPE", "PYFUNCTYPE"):
            kinds = (next((getattr(key, "name", "") for key in keys(given)), "") for given in arguments.positional[1:])
            return [Token(Maker(CTYPES, kinds=tuple(kinds)))]
        if name.name == "POINTER":
            found = (getattr(key, "name", "") for key in keys(*arguments.positional[:1]))
            return [Token(Name(CTYPES, f"{_POINTER}({next(found, '')})"))]
        if name.name in REFERENCES:
            given = arguments.positional[0] if arguments.positional else ()
            if len(arguments.positional) < 2:
                return given
            return [_behind(value, node) if isinstance(value, Token) else value for value in given]
        shape, holds = ctypes_value(name.name)
        return [Token(Data(node, shape, holds, CTYPES, ctype=name.name))] if shape else [Plain.OTHER]

    def _of_ffi(self, member: Member, node: ast.expr, arguments: Arguments) -> Iterable[Given]:
        if member.name == "dlopen":
            return [Token(Library(node, CFFI, member.ffi))]
        if member.name == "new":
            made = shapes.made(kind := new_type(node) or "")
            return [Token(Data(node, *made, CFFI, member.ffi, kind)) if made else Token(Own(member.ffi))]
        if member.name == "buffer":
            return [Token(View(node, is_buffer=True))]
        if member.name == "callback":
            keyword = arguments.keywords.get("python_callable")
            given = arguments.positional[1] if len(arguments.positional) > 1 else keyword
            maker = Maker(CFFI, member.ffi, ctype=_written(node))
            return [Token(maker)] if given is None else self._made(maker, given)
        if member.name == "new_handle":
            return [Token(Held())]
        if member.name == "from_handle":
            return [Kept(_OBJECTS)]
        if member.name == "addressof":
            return [*arguments.positional[0], Plain.OTHER] if arguments.positional else []
        if member.name in ("cast", "from_buffer", "gc"):
            view = [Token(View(node, is_buffer=False))] if member.name == "from_buffer" else []
            return [*arguments.positional[:2][-1], *view] if arguments.positional else []
        return [Plain.OTHER]

    def _made(self, maker: Maker, given: Iterable[Value]) -> Iterable[Given]:
        """Return the functions that are made ones of C, and note of which types of cffi's these are."""
        for value in given if maker.ctype else ():
            function = value.function if isinstance(value, Bound) else value
            if isinstance(function, Function):
                self._kinds.setdefault(function.node, set()).add(maker.ctype)
        return [*given]

    def elements(self, token: Token) -> Iterable[Given] | None:
        """Return what indexing a C value gives."""
        key = token.key
        if isinstance(key, Library):
            return [Token(Computed(key))]
        if isinstance(key, Own):
            return _part_of(key)
        if isinstance(key, Data) and key.spelling == CFFI and key.holds in ("handle", "list"):
            return [Token(Pointer(CFFI, key))]
        return [Plain.OTHER]

    def sliced(self, token: Token) -> Iterable[Given]:
        """Return what a slice of a C value gives: bytes."""
        return [Plain.OTHER]

    # ------------------------------------------------------------------ what neither package has

    def stores(self, token: Token) -> bool:
        """Return False: no function of these stores values of the program in its lists."""
        return False

    def keeps(self, token: Token, arguments: Arguments) -> Iterable[tuple[Hashable, frozenset[Value]]]:
        """Return the object that a handle is made for."""
        makes = isinstance(token.key, Member) and token.key.name == "new_handle" and arguments.positional
        return [(_OBJECTS, arguments.positional[0])] if makes else []

    def calls_back(self, token: Token, arguments: Arguments) -> Iterable[CallBack]:
        """Return the functions that one of C is given to call, with bytes for those of a message of the old ones."""
        key = token.key
        if isinstance(key, Stranger):
            given = [*arguments.positional, *arguments.keywords.values()]
            yield from (CallBack(values, ((Plain.OTHER,),) * _MOST_PARAMETERS) for values in given)
        if not isinstance(key, CFunction):
            return
        parameters = self._vocabulary.flat[key.name].parameters
        hidden = [arguments.hidden] * len(parameters) if arguments.starred else []
        for parameter, values in zip(parameters, [*arguments.positional, *hidden], strict=False):
            if parameter.callback:
                fitting = frozenset(value for value in values if self._may_be(value, parameter))
                self._note(fitting, parameter.callback)
                alike: dict[tuple[str, ...], set[Value]] = {}
                for value in fitting:
                    alike.setdefault(self._types(value, len(parameter.callback)), set()).add(value)
                for types in sorted(alike):
                    pairs = zip(parameter.callback, types, strict=True)
                    shown = tuple((_given(each, key.spelling, ctype),) for each, ctype in pairs)
                    yield CallBack(frozenset(alike[types]), shown)

    def _may_be(self, value: Value, parameter: Parameter) -> bool:
        """Whether cffi lets a function of the program pass for a callback: by the type that its decorator names."""
        kind = callback_type(value.node) if isinstance(value, Function) else ""
        return not kind or self._declarations.may_be(kind, parameter.callback)

    def _types(self, value: Value, count: int) -> tuple[str, ...]:
        """Return the types of the first parameters of a function that cffi makes one of C, "" for one not known."""
        function = value.function if isinstance(value, Bound) else value
        kinds = self._kinds.get(function.node, ()) if isinstance(function, Function) else ()
        return tuple(self._declarations.parameter(kinds, index) for index in range(count))

    def _note(self, functions: Iterable[Value], parameters: tuple[Parameter, ...]) -> None:
        for value in functions:
            function = value.function if isinstance(value, Bound) else value
            given = len(value.arguments) if isinstance(value, Bound) else 0
            if isinstance(function, Function) and isinstance(function.node, ast.FunctionDef | ast.Lambda):
                self.called.setdefault(function.node, set()).add(Called(parameters, given))

    def is_instance(self, token: Token, kind: Token) -> bool | None:
        """Return None: nothing is known of types."""
        return None

    def enter(self, token: Token) -> Iterable[Given] | None:
        """Return what `with` binds."""
        return [token]

    def caught(self, caught: Value) -> Sequence[Token] | None:
        """Return None: these raise errors of Python's own."""
        return None

    def text(self, token: Token) -> Sequence[Token]:
        """Return nothing: the text of no token matters."""
        return ()

    def added(self, token: Token, node: ast.AST) -> Sequence[Token]:
        """Return the memory behind an offset: `buffer + offset`."""
        key = token.key
        if isinstance(key, Own) and isinstance(node, ast.expr):
            return [token, Token(View(node, is_buffer=False))]
        if not isinstance(key, Data) or key.shape is not Shape.BUFFER:
            return ()
        return [_behind(token, node) if isinstance(node, ast.BinOp) else token]

    def in_flight(self) -> Sequence[Token]:
        """Return nothing: no error is a token."""
        return ()

    def exports(self, token: Token) -> Mapping[str, Iterable[Given]]:
        """Return every name that a star import of ctypes binds."""
        import ctypes

        if token.key != Package(CTYPES):
            return {}
        return {name: [*(self.attribute(token, name) or ())] for name in vars(ctypes) if not name.startswith("_")}


def _part_of(own: Own) -> list[Given]:
    """Return what a part of a C value of the program's own can be: one such value, or a number."""
    return [Token(own), Plain.OTHER]


def _behind(token: Token, node: ast.expr) -> Token:
    """Return what an expression gives that shows what is behind an offset of a value: of a buffer, a part."""
    key = token.key
    if not isinstance(key, Data) or key.shape is not Shape.BUFFER or key.part_of:
        return token
    return Token(Data(node, Shape.BUFFER, "bytes", key.spelling, key.ffi, part_of=key))


def _given(parameter: Parameter, spelling: str, ctype: str) -> Given:
    """Return what the library gives a callback, by the type that the program declares."""
    if parameter.ctype == _MESSAGE:
        return Token(Data(GIVEN, Shape.BUFFER, "bytes", spelling, ctype=ctype))
    if parameter.is_user_data:
        return Token(UserData(spelling))
    return Token(Pointer(spelling)) if parameter.kind else Plain.OTHER


def callback_type(node: ast.AST) -> str:
    """Return the type that `@ffi.callback("type")` gives a function; nothing where it has no such decorator alone."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    call = decorators[0] if len(decorators) == 1 else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "callback":
        return ""
    return _written(call)


def ctypes_value(name: str) -> tuple[Shape | None, str]:
    """Return the shape of what a function or class of ctypes makes, and what it holds."""
    if name in _INTEGERS:
        return Shape.CELL, "number"
    if name == "c_void_p":
        return Shape.CELL, "handle"
    if name == "c_char_p":
        return Shape.BYTES, "text"
    if name.startswith(f"{_POINTER}("):
        return Shape.CELL, "list"
    return (Shape.BUFFER, "bytes") if name in _BUFFERS else (None, "")


def _written(node: ast.expr) -> str:
    """Return the type of a function that a call of cffi's is given, if it is a text that stands there."""
    kind = node.args[0] if isinstance(node, ast.Call) and node.args else None
    return kind.value if isinstance(kind, ast.Constant) and isinstance(kind.value, str) else ""


def new_type(node: ast.expr) -> str | None:
    """Return the type that `ffi.new` is called with: its text; with a part that is computed in the brackets, that."""
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    if isinstance(first, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "n" for part in first.values)
    if isinstance(first, ast.BinOp) and isinstance(first.op, ast.Mod) and isinstance(first.left, ast.Constant):
        return str(first.left.value).replace("%d", "n").replace("%i", "n")
    return None
