"""What the functions of cffi and ctypes themselves become: cells, buffers and bytes of Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from migrate.bindings import callbacks, shapes
from migrate.bindings.calls import decoding, is_function_of
from migrate.bindings.copies import Copies
from migrate.bindings.knowledge import new_type
from migrate.bindings.numbers import Numbers
from migrate.bindings.refusal import COLLECTED, USE, NotUnderstood
from migrate.bindings.struct_values import StructValues
from migrate.bindings.tokens import (
    CFFI,
    CTYPES,
    GIVEN,
    Data,
    Member,
    Own,
    Pointer,
    Shape,
    Text,
    UserData,
    is_pointer_of,
    keys,
)
from migrate.bindings.user_data import pointed
from migrate.bindings.uses import COPYING
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.facts.reaching import Reaching
from migrate.old_api.vocabulary import kind_of
from migrate.python.scopes import Kind
from migrate.python.values import Collection, External, Plain, Token, Values
from migrate.text.code import Template

Edit = tuple[ast.expr | ast.stmt, Template]
_TEXT = '.partition(b"\\0")[0]'
_MESSAGE = "uint8_t *"  # of which type the library gives one
_UNPACKED = {
    "bytes": "bytes({{buffer}}{})",
    "unsigned": "list({{buffer}}{})",
    "signed": 'list(memoryview({{buffer}}){}.cast("b"))',
}


class Members:
    """Makes the edits of calls of cffi and ctypes; nothing for what stays cffi's."""

    def __init__(
        self, forest: Forest, values: Values, reaching: Reaching, expressions: Expressions, numbers: Numbers
    ) -> None:
        self._forest, self._values, self._reaching = forest, values, reaching
        self._expressions, self._numbers = expressions, numbers
        self._copies = Copies(forest, values, reaching, expressions, self.data)
        self.structs = StructValues(forest, values, numbers)

    def of_ffi(self, node: ast.Call, name: str) -> Edit | None:
        """Return the edit of a call of a method of an FFI object."""
        if name == "gc":
            raise NotUnderstood(node, COLLECTED)
        keywords = {keyword.arg for keyword in node.keywords} - ({"onerror"} if name == "callback" else set())
        if keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise NotUnderstood(node, USE)
        judge = _OF_FFI.get(name)
        if judge is None or not node.args:
            raise NotUnderstood(node, USE)
        return judge(self, node)

    def of_ctypes(self, node: ast.Call, name: str) -> Edit | None:
        """Return the edit of a call of a function of ctypes, or of a class that makes a C value."""
        data = self.data(node)
        if data is not None and data.node is node and not data.part_of:
            return node, self._made(node, data)
        judge = _OF_CTYPES.get(name)
        return judge(self, node) if judge and node.args else None

    def data(self, node: ast.expr) -> Data | None:
        """Return the shape of what an expression certainly is, None if it is not a value of C."""
        found = self._reaching.of(node)
        data = [key for key in keys(found) if isinstance(key, Data)]
        if not data:
            return None
        alike = {(each.shape, each.holds in ("list", "struct") and each.holds, each.spelling) for each in data}
        is_mixed = len(data) < len(found - {Plain.NONE}) and data[0].shape is not Shape.BYTES
        if len(alike) > 1 or is_mixed:
            raise NotUnderstood(node, USE)
        return min(data, key=lambda each: each.holds)  # of a cell for handles and numbers, that of a handle

    def is_mixed(self, node: ast.expr) -> bool:
        """Whether an expression is a cell of ctypes with a handle at one time, and the handle itself at another."""
        found = [*keys(self._reaching.of(node))]
        cells = [key for key in found if isinstance(key, Data)]
        rest = [key for key in found if isinstance(key, Pointer)]
        others = self._reaching.of(node) - {Plain.NONE, *map(Token, cells), *map(Token, rest)}
        return bool(rest) and not others and {(each.holds, each.spelling) for each in cells} == {("handle", CTYPES)}

    def is_carried(self, node: ast.expr) -> bool:
        """Whether an expression is a buffer that came back as user data at times, or bytes at others."""
        others = self._reaching.of(node) & {Plain.OTHER, Token(UserData(CTYPES))}
        found = self._reaching.of(node) - others - {Plain.NONE}
        buffers = [key for key in keys(found) if isinstance(key, Data) and key.shape is Shape.BUFFER]
        return bool(others) and 0 < len(buffers) == len(found)

    def _buffer(self, node: ast.expr) -> bool:
        """Whether an expression is a buffer of the program's; not where it is something that stays cffi's."""
        data = self.data(node)
        if data is not None and data.shape is not Shape.BUFFER:
            raise NotUnderstood(node, USE)
        if data is None and Plain.UNKNOWN in self._reaching.of(node):
            raise NotUnderstood(node, USE)
        return data is not None

    # ------------------------------------------------------------------ making values

    def factory(self, data: Data) -> Edit | None:
        """Return the edit of the type that makes the cells of a field: `field(default_factory=c_void_p)`."""
        call = data.node
        if not isinstance(call, ast.Call) or self._values.of(call.func) != {External("dataclasses.field")}:
            return None
        made = next((keyword.value for keyword in call.keywords if keyword.arg == "default_factory"), None)
        if made is None or data.shape is not Shape.CELL or len(self._values.of(made)) > 1:
            return None
        return made, Template(f"lambda: {_empty(data)}")

    def _made(self, node: ast.Call, data: Data) -> Template:
        """Return what takes the place of a value of ctypes."""
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise NotUnderstood(node, USE)
        given = {f"value_{at}": argument for at, argument in enumerate(node.args)}
        if data.shape is Shape.BYTES:
            return Template("{value_0}" if given else "None", given)
        if data.shape is Shape.CELL:
            if node.args:
                self._numbers.check(node.args[0], data.ctype)
                if data.holds == "handle" and self._numbers.is_null(node.args[0]):
                    return Template("[None]")
            return Template("[{value_0}]" if given else _empty(data), given)
        if len(node.args) == 2:
            if not self._fits(*node.args):
                raise NotUnderstood(node, USE)  # longer bytes would be a ValueError
            return Template('bytearray({value_0}.ljust({value_1}, b"\\0"))', given)
        return self._sized(node.args[0])

    def _fits(self, data: ast.expr, size: ast.expr) -> bool:
        """Whether bytes are certainly not longer than a size."""
        given, most = self._expressions.constant(data), self._expressions.constant(size)
        if isinstance(given, bytes) and isinstance(most, int):
            return len(given) <= most
        return self._copies.is_length(size, data)

    def _sized(self, size: ast.expr) -> Template:
        """Return a buffer of a size, or with some bytes and the NUL behind them."""
        parts = {"size": size}
        if self._expressions.is_bytes(size):
            return Template('bytearray({size} + b"\\0")', parts)
        if self._numbers.is_number(size):
            return Template("bytearray({size})", parts)
        if self._expressions.is_simple(size):
            parts |= {"data": size, "again": size}
            return Template('bytearray({data} + b"\\0" if isinstance({size}, bytes) else {again})', parts)
        within = any(isinstance(above, ast.comprehension) for above in self._forest.above(size))
        if within or self._forest.of(size).scope(size).kind is not Kind.FUNCTION:
            raise NotUnderstood(size, USE)  # no place for a new name, or one where it would be seen
        name = self._expressions.fresh(size, "size")
        return Template(f'bytearray({name} + b"\\0" if isinstance({name} := {{size}}, bytes) else {name})', parts)

    def _new(self, node: ast.Call) -> Edit | None:
        if new_type(node) is None:
            raise NotUnderstood(node, USE)
        data = self.data(node)
        if data is None:
            return None
        length = shapes.ctype(new_type(node) or "").length
        contents = _contents(node, is_array=length is not None and data.shape is not Shape.BUFFER)
        if data.holds == "struct":
            return node, self.structs.new(node, data, contents)
        given: dict[str, ast.expr] = {"value": contents} if contents else {}
        if data.shape is Shape.CELL:
            if given:
                self._numbers.check(given["value"], data.ctype)
            return node, Template("[{value}]" if given else _empty(data), given)
        if not length:
            if not given:
                raise NotUnderstood(node, USE)
            return node, self._sized(node.args[1])
        if given:
            raise NotUnderstood(node, USE)
        computed = _computed(node.args[0])
        return node, Template("bytearray({length})", {"length": computed}) if computed else Template(
            f"bytearray({length})"
        )

    # ------------------------------------------------------------------ reading them

    def _view(self, node: ast.Call) -> Edit | None:
        """Return bytes where they are copied at once, else a view."""
        if self._is_address(node.args[0]):
            return self._at_address(node)
        if not self._buffer(node.args[0]):
            return None
        if len(node.args) == 1:
            self._check_whole(node)
        parts = {"buffer": node.args[0]}
        cut = ""
        if len(node.args) > 1:
            parts["size"], cut = node.args[1], "[:{size}]"
        above = self._forest.parents[node]
        if isinstance(above, ast.Subscript) and above.value is node:
            if not isinstance(above.slice, ast.Slice) or not isinstance(above.ctx, ast.Load):
                raise NotUnderstood(above, USE)
            if _is_whole(above.slice):
                return above, Template(f"bytes({{buffer}}{cut})", parts)
            return above, Template(f"bytes({{buffer}}{cut}[{{slice}}])", {**parts, "slice": above.slice})
        if isinstance(above, ast.Call) and above.args == [node] and _named(above.func) == "bytes":
            return above, Template(f"bytes({{buffer}}{cut})", parts)
        return node, Template(f"memoryview({{buffer}}){cut}", parts)

    def _is_address(self, node: ast.expr) -> bool:
        """Whether an expression is what a function of the library gave as a pointer, where it is one at all."""
        found = self._reaching.of(node)
        pointers = {value for value in found if isinstance(value, Token) and is_pointer_of(CFFI, value.key)}
        return bool(pointers) and found <= {*pointers, Plain.OTHER}

    def _at_address(self, node: ast.Call) -> Edit:
        """Return the bytes at an address: `ffi.buffer(address, size)[:]`."""
        above = self._forest.parents[node]
        whole = isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Slice) and _is_whole(above.slice)
        copied = isinstance(above, ast.Call) and above.args == [node] and _named(above.func) == "bytes"
        if len(node.args) != 2 or not (whole or copied) or not isinstance(above, ast.expr):
            raise NotUnderstood(node, USE)
        parts = {"address": node.args[0], "size": node.args[1]}
        return above, Template("bytes({comch}.arguments.span({address}, {size}))", parts)

    def _check_whole(self, node: ast.Call) -> None:
        """Refuse the size of what shows a part only: C knows none."""
        if any(isinstance(key, Data) and key.part_of for key in keys(self._reaching.of(node.args[0]))):
            raise NotUnderstood(node, USE)

    def _string(self, node: ast.Call) -> Edit | None:
        found = self._reaching.of(node.args[0])
        if any(isinstance(key, Text) for key in keys(found)):
            if any(not isinstance(key, Text) for key in keys(found)) or len(node.args) > 1:
                raise NotUnderstood(node, USE)
            decoded = decoding(node, self._forest)
            return decoded or node, Template("{text}" if decoded else "{text}.encode()", {"text": node.args[0]})
        if not self._buffer(node.args[0]):
            return None
        if len(node.args) > 1:
            parts = {"buffer": node.args[0], "size": node.args[1]}
            return node, Template("bytes({buffer}[:{size}])" + _TEXT, parts)
        return node, Template("bytes({buffer})" + _TEXT, {"buffer": node.args[0]})

    def _unpacked(self, node: ast.Call) -> Edit | None:
        shown = node.args[0]
        behind = isinstance(shown, ast.BinOp) and isinstance(shown.op, ast.Add) and self._is_message(shown.left)
        if behind and isinstance(shown, ast.BinOp) and len(node.args) == 2:  # what is behind a header
            parts = {"buffer": shown.left, "start": shown.right, "size": node.args[1]}
            return node, Template(self._sequence(node, shown.left).format("[{start}:][:{size}]"), parts)
        if not self._buffer(shown) or len(node.args) != 2:
            return None
        parts = {"buffer": shown, "size": node.args[1]}
        return node, Template(self._sequence(node, shown).format("[:{size}]"), parts)

    def _sequence(self, node: ast.Call, shown: ast.expr) -> str:
        """Return what a slice of a buffer is unpacked to: bytes, or a list of numbers if that is not made bytes again.

        cffi shows chars as bytes, and numbers as numbers; ctypes has bytes only.
        """
        above = self._forest.parents[node]
        copied = isinstance(above, ast.Call) and above.args == [node] and self._values.of(above.func) <= COPYING
        is_cast = isinstance(shown, ast.Call) and any(
            isinstance(key, Member) and key.name == "cast" for key in keys(self._values.of(shown.func))
        )
        found = [] if copied or is_cast else [*keys(self._reaching.of(shown))]
        data = (key for key in found if isinstance(key, Data) and key.spelling == CFFI)
        ways = {shapes.unpacked(each.whole.ctype or _MESSAGE) for each in data}
        if len(ways) > 1:
            raise NotUnderstood(node, USE)
        return _UNPACKED[next(iter(ways), "bytes")]

    def _is_message(self, node: ast.expr) -> bool:
        """Whether an expression is the bytes of a message that a callback gets."""
        found = [*keys(self._values.of(node))]
        given = [key for key in found if isinstance(key, Data) and key.node is GIVEN]
        return bool(given) and len(given) == len(self._values.of(node))

    def _size(self, node: ast.Call) -> Edit | None:
        if isinstance(node.args[0], ast.Constant):
            return None
        data = self.data(node.args[0])
        if data is not None and data.shape is not Shape.BUFFER:
            raise NotUnderstood(node, USE)
        self._check_whole(node)
        return (node, Template("len({buffer})", {"buffer": node.args[0]})) if data else None

    def _moved(self, node: ast.Call) -> Edit | None:
        """Return the assignment that a copy into a buffer is."""
        target = node.args[0]
        if not self._buffer(target):
            return None
        statement = self._forest.parents[node]
        simple = len(node.args) == 3 and self._is_simple(node.args[2])
        if not simple or not isinstance(statement, ast.Expr):
            raise NotUnderstood(node, USE)
        parts = {"buffer": target, "data": node.args[1], "size": node.args[2], "size_2": node.args[2]}
        return statement, Template(self._copies.text(node), parts)

    def _is_simple(self, size: ast.expr) -> bool:
        """Whether evaluating a size twice gives the same."""
        if isinstance(size, ast.Call) and all(is_function_of(each, "len") for each in self._reaching.of(size.func)):
            return all(isinstance(argument, ast.Name) for argument in size.args)
        return isinstance(size, ast.Name | ast.Constant | ast.Attribute)

    def _itself(self, node: ast.Call) -> Edit:
        """Return what is shown as something else: bytes for a pointer, a pointer for a value."""
        return node, Template("{value}", {"value": node.args[-1]})

    def _referred(self, node: ast.Call) -> Edit:
        """Return a value for the pointer to it, or the memory behind an offset: `byref(buffer, offset)`."""
        if len(node.args) == 1:
            return self._itself(node)
        if len(node.args) > 2 or not self._buffer(node.args[0]):
            raise NotUnderstood(node, USE)
        parts = {"buffer": node.args[0], "offset": node.args[1]}
        return node, Template("{comch}.arguments.offset({buffer}, {offset})", parts)

    def _shown(self, node: ast.Call) -> Edit:
        """Return the buffer that cffi shows as a C value; not where it has to be writable, too."""
        if len(node.args) > 2:
            raise NotUnderstood(node, USE)
        return self._itself(node)

    def _cast(self, node: ast.Call) -> Edit | None:
        """Return a handle for the handle; everything else stays cffi's, when it is."""
        kind = node.args[0]
        is_handle = isinstance(kind, ast.Constant) and bool(kind_of(str(kind.value)))
        if is_handle and self._numbers.is_null(node.args[-1]):
            return node, Template("None")
        if is_handle or (isinstance(kind, ast.Constant) and self._is_bytes(node, str(kind.value))):
            return self._itself(node)
        if any(isinstance(key, Own) for key in keys(self._reaching.of(node.args[-1]))):
            return None
        raise NotUnderstood(node, USE)

    def _is_bytes(self, node: ast.Call, kind: str) -> bool:
        """Whether a cast shows bytes as chars, to what takes these: `ffi.unpack(ffi.cast("char *", data), size)`."""
        above = self._forest.parents[node]
        function = above.func if isinstance(above, ast.Call) and above.args[:1] == [node] else node.args[0]
        members = [key.name for key in keys(self._values.of(function)) if isinstance(key, Member)]
        is_char = kind.replace("const ", "").split() in (["char", "*"], ["char*"])
        return is_char and members in (["buffer"], ["string"], ["unpack"]) and self._buffer(node.args[1])

    def _called_back(self, node: ast.Call) -> Edit:
        """Return the function itself, which raises nothing."""
        above = self._forest.parents[node]
        if len(node.args) == 2:
            return node, self._function(node.args[1], node)
        if isinstance(above, ast.Call) and above.func is node and len(above.args) == 1:
            return above, self._function(above.args[0], node)
        if isinstance(above, ast.FunctionDef) and node in above.decorator_list:
            return node, callbacks.decorator(above, node)
        raise NotUnderstood(node, USE)

    def made_by(self, node: ast.Call) -> Edit:
        """Return the edit of a call of what makes functions that C can call."""
        given = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if given is None or any(isinstance(value, Collection) for value in self._values.of(given)):
            raise NotUnderstood(node, USE)  # such as ("name", library), which makes a function of the library's
        return node, self._function(given, node)

    def _function(self, node: ast.expr, maker: ast.Call) -> Template:
        return callbacks.called_back(node, self._reaching.of(node), maker)

    def _object(self, node: ast.Call) -> Edit:
        """Return the object that a pointer stands for."""
        return node, Template("{pointer}", {"pointer": pointed(node.args[0], self._values)})


def _empty(data: Data) -> str:
    """Return a cell with nothing in it."""
    return "[0]" if data.holds == "number" else "[None]"


def _contents(node: ast.Call, *, is_array: bool) -> ast.expr | None:
    """Return what a C value is made with, if anything: of an array of one item, that item."""
    given = node.args[1] if len(node.args) > 1 else None
    if given is None or not is_array:
        return given
    if not isinstance(given, ast.List | ast.Tuple) or len(given.elts) > 1:
        raise NotUnderstood(node, USE)
    item = given.elts[0] if given.elts else None
    if isinstance(item, ast.Starred):
        raise NotUnderstood(node, USE)
    return item


def _computed(kind: ast.expr) -> ast.expr | None:
    """Return the expression that stands for the length in the text of a type."""
    if isinstance(kind, ast.JoinedStr):
        return next(part.value for part in kind.values if isinstance(part, ast.FormattedValue))
    if isinstance(kind, ast.BinOp):
        return kind.right.elts[0] if isinstance(kind.right, ast.Tuple) else kind.right
    return None


def _is_whole(node: ast.Slice) -> bool:
    return node.lower is None and node.upper is None and node.step is None


def _named(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


_OF_FFI: Mapping[str, Callable[[Members, ast.Call], Edit | None]] = {
    "new": Members._new,
    "buffer": Members._view,
    "string": Members._string,
    "unpack": Members._unpacked,
    "sizeof": Members._size,
    "memmove": Members._moved,
    "from_buffer": Members._shown,
    "cast": Members._cast,
    "callback": Members._called_back,
    "new_handle": Members._itself,
    "from_handle": Members._object,
}
_OF_CTYPES: Mapping[str, Callable[[Members, ast.Call], Edit | None]] = {
    "addressof": Members._itself,
    "byref": Members._referred,
    "pointer": Members._itself,
    "string_at": Members._unpacked,
    "sizeof": Members._size,
    "memmove": Members._moved,
}
