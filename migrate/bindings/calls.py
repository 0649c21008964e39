"""A call of a C function as a call of the flat function of the same name, whose outputs go into cells."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence

from migrate.bindings.refusal import CALL, USE, NotUnderstood
from migrate.bindings.tokens import CTYPES, CFunction, Data, Member, Null, Own, Shape, Text, keys
from migrate.facts.forest import Forest
from migrate.old_api.vocabulary import Function as Signature
from migrate.old_api.vocabulary import Parameter, Vocabulary
from migrate.python.values import Bound, External, Function, Instance, Partial, Plain, Token, Value, Values
from migrate.text.code import Template

STORE = "{comch}.store"
_BUFFER = "void *"
_ENCODINGS = frozenset({"utf-8", "utf8", "ascii", "latin-1", "latin1"})
_MAY_BE_NULL = frozenset({"doca_comm_channel_ep_get_event_channel"})


class Calls:
    """Reads the calls of C functions. `met`: C values that functions of the old libraries are given."""

    def __init__(self, forest: Forest, values: Values, vocabulary: Vocabulary) -> None:
        self._forest, self._values, self._vocabulary = forest, values, vocabulary
        self.met: set[Data] = set()

    def template(self, node: ast.Call, functions: Sequence[CFunction]) -> Template:
        """Return the flat call that takes the place of a call of one of some functions."""
        shapes = {self._shape(self._vocabulary.flat[function.name]) for function in functions}
        starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        function, spelling = self._vocabulary.flat[functions[0].name], functions[0].spelling
        if len(shapes) > 1 or starred or node.keywords or len(node.args) != len(function.parameters):
            raise NotUnderstood(node, CALL)
        parts: dict[str, ast.expr] = {"function": node.func}
        inputs, cells = [], []
        self._again: dict[str, ast.expr] = {}  # arguments that their texts name twice
        for parameter, argument in zip(function.parameters, node.args, strict=True):
            parts[parameter.name] = argument
            if parameter.is_input:
                inputs.append(self._input(function, parameter, argument, spelling))
            if parameter.is_output:
                cells.append(self._cell(function, parameter, argument))
                parts[f"{parameter.name}_cell"] = argument
        parts |= {f"{name}_again": argument for name, argument in self._again.items()}
        call = f"{{function}}({', '.join(inputs)})"
        if cells and not function.returns_code:
            raise NotUnderstood(node, CALL)
        text = f"{STORE}({', '.join([call, *cells])})" if cells else self._returned(node, function, call)
        return Template(text, {name: part for name, part in parts.items() if f"{{{name}}}" in text})

    def _returned(self, node: ast.Call, function: Signature, call: str) -> str:
        """Return the value of a call: a text is bytes to ctypes."""
        is_bytes = Text(CTYPES) in keys(self._values.of(node)) and function.returns == "const char *"
        return f"{call}.encode()" if is_bytes and decoding(node, self._forest) is None else call

    def _shape(self, function: Signature) -> tuple[object, ...]:
        """Return what two functions have in common that are called alike."""
        return (function.returns, *((each.direction, each.ctype) for each in function.parameters))

    def _input(self, function: Signature, parameter: Parameter, argument: ast.expr, spelling: str) -> str:
        """Return the text of an argument that the flat function takes."""
        if parameter.is_user_data and not parameter.is_output:
            self._again[parameter.name] = pointed(argument, self._values)
            return f"{{{parameter.name}_again}}"
        found = self._values.of(argument)
        if parameter.callback and not all(map(_is_callback, found)):
            raise NotUnderstood(argument, USE)
        data = [key for key in keys(found) if isinstance(key, Data)]
        own = [key for key in keys(found) if isinstance(key, Own)]
        self.met.update(data)
        text = f"{{{parameter.name}}}"
        if parameter.is_output:
            return f"{text}[0]"
        if "*" in parameter.ctype and (own or any(isinstance(value, Instance) for value in found)):
            if len(own) == len(found):
                return f"{{ffi}}.buffer({text})"
            raise NotUnderstood(argument, USE)
        if parameter.ctype == "const char *":
            return self._named(function, parameter, argument, bool(data))
        if any(each.node is argument and each.shape is Shape.CELL for each in data):
            return self._bare(parameter, argument)
        by_value = [each for each in data if each.shape is Shape.CELL] if spelling == CTYPES else []
        if not by_value:
            return text
        if len(by_value) < len(found - {Plain.NONE}) or not self.is_place(argument):
            raise NotUnderstood(argument, USE)
        if Plain.NONE in found:
            self._again[parameter.name] = argument
            return f"{text} and {{{parameter.name}_again}}[0]"
        return f"{text}[0]"

    def _named(self, function: Signature, parameter: Parameter, argument: ast.expr, is_buffer: bool) -> str:
        """Return a text for bytes: what is encoded as it was before that."""
        text = f"{{{parameter.name}}}"
        if is_buffer:
            return f'bytes({text}).partition(b"\\0")[0].decode()'
        written = argument.value if isinstance(argument, ast.Constant) else None
        if isinstance(written, bytes) and written.isascii() and b"{" not in written:
            return json.dumps(written.decode())
        plain = isinstance(argument, ast.Call) and not argument.args and not argument.keywords
        func = argument.func if plain and isinstance(argument, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr == "encode":
            self._again[parameter.name] = func.value
            return f"{{{parameter.name}_again}}"
        takes_text = function.name.startswith("doca_cc_")  # where the other functions take bytes, too
        may_be_null = {Token(Null()), Plain.NONE} & self._values.of(argument)
        return f"{text}.decode()" if takes_text and not may_be_null else text

    def _bare(self, parameter: Parameter, made: ast.expr) -> str:
        """Return what a value is made of that is made for the call: `c_uint16(8)`."""
        assert isinstance(made, ast.Call)
        self._again[parameter.name] = made.args[0] if made.args else made
        if made.args:
            return f"{{{parameter.name}_again}}"
        return "0" if "*" not in parameter.ctype else "None"

    def _cell(self, function: Signature, parameter: Parameter, argument: ast.expr) -> str:
        """Return the text of what takes an output, which is evaluated after the call."""
        found = self._values.of(argument)
        given = list(keys(found))
        self.met.update(key for key in given if isinstance(key, Data))
        may_be_null = function.name in _MAY_BE_NULL
        known = all(isinstance(key, Data) or (isinstance(key, Null) and may_be_null) for key in given)
        owned = parameter.ctype == _BUFFER and given and all(isinstance(key, Own) for key in given)
        others = {value for value in found if not keys_of(value)} - {Plain.NONE}  # which is a TypeError
        if not given or not (known or owned) or others or not self.is_place(argument):
            raise NotUnderstood(argument, USE)
        return f"{{ffi}}.buffer({{{parameter.name}_cell}})" if owned else f"{{{parameter.name}_cell}}"

    def is_place(self, node: ast.expr) -> bool:
        """Whether evaluating an expression twice, or after the call, gives the same."""
        if isinstance(node, ast.Call):
            functions = self._values.of(node.func)
            return bool(node.args) and bool(functions) and all(map(_refers, functions)) and self.is_place(node.args[0])
        if isinstance(node, ast.Attribute):
            return self.is_place(node.value)
        if isinstance(node, ast.Subscript):
            return self.is_place(node.value) and self.is_place(node.slice)
        return isinstance(node, ast.Name | ast.Constant)


def pointed(node: ast.expr, values: Values) -> ast.expr:
    """Return the pointer or number that casts and int() show as user data: `int(ffi.cast("uintptr_t", handle))`."""
    while isinstance(node, ast.Call) and node.args:
        functions = values.of(node.func)
        is_cast = all(isinstance(key, Member) and key.name == "cast" for key in keys(functions)) and any(
            keys(functions)
        )
        if not is_cast and not all(is_function_of(function, "int") for function in functions):
            break
        node = node.args[-1]
    return node


def _is_callback(value: Value) -> bool:
    """Whether a value is a function of the program, or nothing."""
    is_null = any(isinstance(key, Null) for key in keys([value]))
    return is_null or isinstance(value, Function | Bound | Partial) or value is Plain.NONE


def decoding(node: ast.Call, forest: Forest) -> ast.Call | None:
    """Return the call `node.decode()`, of bytes that stand for a text of the library."""
    above = forest.parents[node]
    call = forest.parents[above] if isinstance(above, ast.Attribute) and above.attr == "decode" else None
    return call if isinstance(call, ast.Call) and call.func is above and _is_utf_8(call) else None


def _is_utf_8(call: ast.Call) -> bool:
    """Whether a call of `decode` reads what all texts of the library are."""
    named = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    return not call.keywords and len(named) == len(call.args) <= 2 and str([*named, "utf-8"][0]).lower() in _ENCODINGS


def keys_of(value: Value) -> bool:
    """Whether a value is a token."""
    return any(True for _ in keys([value]))


def _refers(function: Value) -> bool:
    """Whether a function is ctypes' byref or pointer."""
    key = next(keys([function]), None)
    return getattr(key, "package", "") == CTYPES and getattr(key, "name", "") in ("byref", "pointer")


def is_function_of(value: Value, *names: str) -> bool:
    """Whether a value is one of Python's own functions."""
    return isinstance(value, External) and value.name in {f"builtins.{name}" for name in names}
