"""A call of a C function as a call of the flat function of the same name, whose outputs go into cells."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Sequence

from migrate.bindings import user_data
from migrate.bindings.alignment import Row, hides_outputs, rows
from migrate.bindings.conversions import NAME, converted, initial, takes_name, takes_texts
from migrate.bindings.handed import Handed
from migrate.bindings.keeping import is_of_class, named, of_class
from migrate.bindings.numbers import Numbers
from migrate.bindings.refusal import CALL, OWN_DATA, USE, NotUnderstood
from migrate.bindings.seen import is_seen
from migrate.bindings.terminators import Terminators
from migrate.bindings.tokens import CTYPES, CFunction, Data, Library, Name, Null, Own, Pointer, Shape, Text, keys
from migrate.facts.forest import Forest
from migrate.facts.reaching import Reaching
from migrate.old_api.vocabulary import Function as Signature
from migrate.old_api.vocabulary import Parameter, Vocabulary
from migrate.python.values import Bound, Collection, External, Function, Instance, Partial, Plain, Token, Value, Values
from migrate.text.code import Template

STORE = "{comch}.store"
_BUFFER = "void *"
_MESSAGE = "const void *"
_CUT = '.partition(b"\\0")[0]'  # what C reads of a text
_NUMBER = "uint64_t"  # of user data
_FLAGGED = ("doca_comm_channel_ep_sendto", "doca_comm_channel_ep_recvfrom")  # any flags but none are INVALID_VALUE
_ENCODINGS = frozenset({"utf-8", "utf8", "ascii", "latin-1", "latin1"})
# One of several outputs, or the only one.
_MAY_BE_NULL = frozenset({"doca_comm_channel_ep_get_event_channel", "doca_buf_dec_refcount", "doca_buf_inc_refcount"})


class Calls:
    """Reads the calls of C functions.

    met: C values that functions of the old libraries are given. whole: those that are kept with all parameters. named:
    those whose `__name__` the program reads.
    """

    def __init__(
        self,
        forest: Forest,
        values: Values,
        reaching: Reaching,
        vocabulary: Vocabulary,
        numbers: Numbers,
        terminators: Terminators,
    ) -> None:
        self._forest, self._values, self._reaching = forest, values, reaching
        self._terminators = terminators
        self._vocabulary, self._numbers = vocabulary, numbers
        self.met: set[Data] = set()
        self.whole: set[str] = set()
        self.handed: dict[str, list[ast.Call]] = {}
        self.named = frozenset(named(forest, values))

    def template(self, node: ast.Call, functions: Sequence[CFunction]) -> Template:
        """Return the flat call that takes the place of a call of one of some functions."""
        signatures = [self._vocabulary.flat[function.name] for function in functions]
        spelling = functions[0].spelling
        if not self.whole.isdisjoint(function.name for function in functions) and not self.is_origin(node.func):
            return self._unchanged(node)
        given = rows(node, signatures)
        stars = [row.argument.value for row in given if isinstance(row.argument, ast.Starred)]
        if any(map(_sends, signatures)) and any(map(self._terminators.is_behind, stars)):
            raise NotUnderstood(node, USE)
        if self._is_without_room(given, signatures):
            return Template("{comch}.ErrorCode.INVALID_VALUE")
        parts: dict[str, ast.expr] = {"function": node.func}
        inputs, cells = [], []
        self._again: dict[str, ast.expr] = {}  # arguments that their texts name twice
        for row in given:
            if isinstance(row.argument, ast.Starred):
                parts["star"] = row.argument.value
                inputs.append(self._star(row.argument.value, spelling))
                continue
            parameter, argument = row.parameters[0], row.argument
            parts[parameter.name] = argument
            for other in row.parameters:
                self._numbers.check(argument, other.ctype)
            if parameter.is_input:
                inputs.append(self._input(node, signatures[0], parameter, argument, spelling))
            if parameter.is_output:
                cells.append(self._cell(signatures[0], parameter, argument))
                parts[f"{parameter.name}_cell"] = argument
        if sent := self._sent_with_nul(given):
            inputs = [f'{text} + b"\\0"' if text == f"{{{sent}}}" else text for text in inputs]
        parts |= {f"{name}_again": argument for name, argument in self._again.items()}
        call = f"{{function}}({', '.join(inputs)})"
        if cells and not all(signature.returns_code for signature in signatures):
            raise NotUnderstood(node, CALL)
        if len({signature.returns == NAME for signature in signatures}) > 1:
            raise NotUnderstood(node, CALL)
        text = f"{STORE}({', '.join([call, *cells])})" if cells else self._returned(node, signatures[0], call)
        return Template(text, {name: part for name, part in parts.items() if f"{{{name}}}" in text})

    def _sent_with_nul(self, given: Sequence[Row]) -> str:
        """Return the parameter for a message that is sent with the NUL which C has behind bytes, "" without one."""
        found = {row.parameters[0].ctype: row for row in reversed(given) if row.parameters}
        message = found.get(_MESSAGE)
        sizes = [row.argument for row in given if row.parameters and row.parameters[0].name == "len"]
        if message is None or not sizes or not self._terminators.is_sent(message.argument, sizes[0]):
            return ""
        tokens = [*keys(self._shown(message.argument))]
        buffers = [key for key in tokens if isinstance(key, Data) and key.shape is Shape.BUFFER and not key.part_of]
        if len(buffers) < len(tokens) or Plain.NONE in self._shown(message.argument):
            raise NotUnderstood(message.argument, USE)
        return "" if tokens and len(tokens) == len(self._shown(message.argument)) else message.parameters[0].name

    def _is_without_room(self, given: Sequence[Row], functions: Sequence[Signature]) -> bool:
        """Whether a call gives NULL for what has to be filled, which is INVALID_VALUE, and does nothing besides."""
        nothing = {Plain.NONE, Token(Null())}
        outputs = [row.argument for row in given if row.parameters and row.parameters[0].is_output]
        found = [self._reaching.of(argument) for argument in outputs]
        missing = [bool(values) and values <= nothing for values in found]
        optional = any(function.name in _MAY_BE_NULL for function in functions)
        is_refused = len(missing) > 1 and all(missing) if optional else any(missing)
        if is_refused and not all(self.is_place(row.argument) for row in given):
            raise NotUnderstood(outputs[missing.index(True)], USE)
        return is_refused

    def find_whole(self, calls: Sequence[tuple[ast.Call, Sequence[CFunction]]]) -> None:
        """Find the functions that are given what they fill behind a star, and those that are called beside them.

        Those that Python's own functions call, too.
        """
        handed = Handed(self._forest, self._values, self._reaching, self._vocabulary)
        self.handed = handed.calls
        self.whole |= handed.functions
        self.met |= handed.data
        kept = [(node, {function.name for function in functions})
                for node, functions in calls if not self.is_origin(node.func)]  # fmt: skip
        for node, names in kept:
            if any(hides_outputs(node, self._vocabulary.flat[name]) for name in names):
                self.whole |= names
        while more := [names for _, names in kept if names & self.whole and not names <= self.whole]:
            self.whole.update(*more)

    def _meet(self, given: Iterable[object]) -> None:
        """Note C values that a function is given, and those whose address is in them: `c_void_p(addressof(buffer))`."""
        for data in (key.whole for key in given if isinstance(key, Data)):
            if data not in self.met:
                self.met.add(data)
                made = data.node.args if isinstance(data.node, ast.Call) and data.shape is Shape.CELL else []
                self._meet(key for argument in made for key in keys(self._values.of(argument)))

    def _unchanged(self, node: ast.Call) -> Template:
        """Return the call of what is kept whole: as it is."""
        parts = {"function": node.func}
        for at, argument in enumerate(node.args):
            is_star = isinstance(argument, ast.Starred)
            parts[f"argument_{at}"] = argument.value if isinstance(argument, ast.Starred) else argument
            found = self._reaching.of(parts[f"argument_{at}"])
            given = [*keys(self._values.inside(found) if is_star else found)]
            self._meet(given)
            if any(isinstance(key, Own) for key in given) or node.keywords:
                raise NotUnderstood(argument, USE)
        stars = ("*" if isinstance(argument, ast.Starred) else "" for argument in node.args)
        given_text = ", ".join(f"{star}{{argument_{at}}}" for at, star in enumerate(stars))
        return Template(f"{{function}}({given_text})", parts)

    def _star(self, star: ast.expr, spelling: str) -> str:
        """Return the text of arguments that are passed as they come: of the cells of ctypes, what is in them."""
        data = [key for key in keys(self._values.inside(self._reaching.of(star))) if isinstance(key, Data)]
        self._meet(data)
        if spelling == CTYPES and any(each.shape is Shape.CELL for each in data):
            return "*(value[0] if isinstance(value, list) else value for value in {star})"
        return "*{star}"

    def _returned(self, node: ast.Call, function: Signature, call: str) -> str:
        """Return the value of a call: a text is bytes to ctypes."""
        is_bytes = Text(CTYPES) in keys(self._reaching.of(node)) and function.returns == "const char *"
        return f"{call}.encode()" if is_bytes and decoding(node, self._forest) is None else call

    def _input(
        self, node: ast.Call, function: Signature, parameter: Parameter, argument: ast.expr, spelling: str
    ) -> str:
        """Return the text of an argument that the flat function takes."""
        if parameter.is_user_data and not parameter.is_output:
            if any(isinstance(value, Collection) for value in self._reaching.of(argument)):
                argument = initial(argument)
            pointer = user_data.pointed(argument, self._values)
            if any(isinstance(key, Own) for key in keys(self._reaching.of(pointer))):
                raise NotUnderstood(argument, OWN_DATA)
            self._numbers.check(pointer, _NUMBER)
            self._again[parameter.name] = user_data.given(argument, self._values)
            return f"{{{parameter.name}_again}}"
        found = self._shown(argument)
        if parameter.callback and not all(map(_is_callback, found)):
            raise NotUnderstood(argument, USE)
        data = [key for key in keys(found) if isinstance(key, Data)]
        own = [key for key in keys(found) if isinstance(key, Own)]
        self._meet(data)
        text = f"{{{parameter.name}}}"
        if parameter.is_output:
            return f"{text}[0]"
        if "*" in parameter.ctype and (own or any(isinstance(value, Instance) for value in found)):
            if len(own) == len(found):
                return f"{self._ffi(argument, own[0])}.buffer({text})"
            raise NotUnderstood(argument, USE)
        if spelling == CTYPES and "*" in parameter.ctype and self._numbers.is_null(argument):
            return "None"
        if parameter.ctype == NAME:
            if takes_texts(function) and not self.is_origin(node.func):  # what is kept of it takes bytes
                cut = f"bytes({text})" if data else text
                return f"{cut}{_CUT}" if data or self._terminators.is_written(argument) else text
            return self._named(takes_texts(function), parameter, argument, bool(data))
        if any(each.node is argument and each.shape is Shape.CELL for each in data):
            return self._bare(parameter, argument)
        by_value = [each for each in data if each.shape is Shape.CELL] if spelling == CTYPES else []
        if not by_value:
            return text
        pointers = [key for key in keys(found) if isinstance(key, Pointer)]
        is_once = not pointers and Plain.NONE not in found and self._is_last_of_calls(node, argument)
        if len(by_value) + len(pointers) < len(found - {Plain.NONE}) or not (self.is_place(argument) or is_once):
            raise NotUnderstood(argument, USE)
        if pointers:
            self._again |= {f"{parameter.name}_kind": argument, f"{parameter.name}_itself": argument}
            return (
                f"{text}[0] if isinstance({{{parameter.name}_kind_again}}, list) else {{{parameter.name}_itself_again}}"
            )
        if Plain.NONE in found:
            self._again[parameter.name] = argument
            return f"{text} and {{{parameter.name}_again}}[0]"
        return f"{text}[0]"

    def _shown(self, argument: ast.expr) -> frozenset[Value]:
        """Return what an argument can be; in the place of a `c_char_p` what that is made of."""
        found = self._reaching.of(argument)
        made = [key for key in keys(found) if isinstance(key, Data) and key.shape is Shape.BYTES]
        self.met.update(made)
        given = [key.node.args[:1] for key in made if isinstance(key.node, ast.Call)]
        inside = [self._reaching.of(parts[0]) if parts else frozenset({Plain.NONE}) for parts in given]
        return frozenset[Value]().union(found - {*map(Token, made)}, *inside)

    def _named(self, takes_text: bool, parameter: Parameter, argument: ast.expr, is_buffer: bool) -> str:
        """Return a text for bytes: what is encoded as it was before that."""
        text = f"{{{parameter.name}}}"
        if is_buffer:
            return f"bytes({text}){_CUT}.decode()"
        written = argument.value if isinstance(argument, ast.Constant) else None
        if isinstance(written, bytes) and written.isascii() and b"{" not in written:
            return json.dumps(written.partition(b"\0")[0].decode())
        may_be_null = {Token(Null()), Plain.NONE} & self._shown(argument)
        if self._terminators.is_written(argument):
            if may_be_null:
                raise NotUnderstood(argument, USE)
            return f"{text}{_CUT}.decode()" if takes_text else f"{text}{_CUT}"
        plain = isinstance(argument, ast.Call) and not argument.args and not argument.keywords
        func = argument.func if plain and isinstance(argument, ast.Call) else None
        if isinstance(func, ast.Attribute) and func.attr == "encode":
            self._again[parameter.name] = func.value
            return f"{{{parameter.name}_again}}"
        return f"{text}.decode()" if takes_text and not may_be_null else text

    def _bare(self, parameter: Parameter, made: ast.expr) -> str:
        """Return what a value is made of that is made for the call: `c_uint16(8)`."""
        assert isinstance(made, ast.Call)
        self._again[parameter.name] = made.args[0] if made.args else made
        if made.args and not ("*" in parameter.ctype and self._numbers.is_null(made.args[0])):
            return f"{{{parameter.name}_again}}"
        return "0" if "*" not in parameter.ctype else "None"

    def _cell(self, function: Signature, parameter: Parameter, argument: ast.expr) -> str:
        """Return the text of what takes an output, which is evaluated after the call."""
        found = self._reaching.of(argument)
        given = list(keys(found))
        self._meet(given)
        may_be_null = function.name in _MAY_BE_NULL
        filled = [key for key in given if isinstance(key, Data) and key.shape is not Shape.BYTES]
        known = all(key in filled or (isinstance(key, Null) and may_be_null) for key in given)
        owned = parameter.ctype == _BUFFER and given and all(isinstance(key, Own) for key in given)
        others = {value for value in found if not isinstance(value, Token)} - {Plain.NONE}  # which is a TypeError
        if found and found <= {Plain.NONE, Token(Null())} and may_be_null:
            return "None"
        if not given or not (known or owned) or others or not (self.is_place(argument) or _is_new(argument, given)):
            raise NotUnderstood(argument, USE)
        own = next((key for key in given if isinstance(key, Own)), None)
        cell = f"{{{parameter.name}_cell}}"
        return f"{self._ffi(argument, own)}.buffer({cell})" if own else cell

    def _ffi(self, place: ast.expr, own: Own) -> str:
        """Return the name of the FFI object that a value of the program's own is of."""
        statement = self._forest.parents[own.ffi.node] if own.ffi else None
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        loads = self._forest.of(target).of[target].loads if isinstance(target, ast.Name) else []
        name = next((load for load in loads if isinstance(load, ast.Name)), None)
        if name is None or not is_seen(name, place, self._forest, self._values):
            raise NotUnderstood(place, USE)
        return name.id

    def is_origin(self, node: ast.expr) -> bool:
        """Whether an expression takes a function from its library, and is not a name for one that was taken before."""
        return isinstance(node, ast.Attribute) and any(
            isinstance(key, Library) for key in keys(self._reaching.of(node.value))
        )

    def kept(self, node: ast.Attribute, function: CFunction) -> Template | None:
        """Return what is kept of a function that is not called where it is taken; nothing for the flat one itself.

        In a class it stays a function: those of C are not bound to objects.
        """
        made = self._passing_on(node, function)
        if made is not None and function.name in self.named:
            made = Template(f'{{comch}}.named("{function.name}", {made.text})', made.parts)
        return of_class(node, made) if is_of_class(node, self._forest, self._values) else made

    def _passing_on(self, node: ast.Attribute, function: CFunction) -> Template | None:
        """Return a function of Python's for one that takes something else than the flat one."""
        signature = self._vocabulary.flat[function.name]
        is_whole = function.name in self.whole
        handed = self.handed.get(function.name, ())
        ends_early = takes_name(signature) and self._terminators.is_written_among(handed)
        if ends_early or (_sends(signature) and self._terminators.is_among(handed)):
            raise NotUnderstood(node, USE)
        if not takes_texts(signature) and not is_whole:
            return None
        names = [each.name for each in signature.parameters if is_whole or each.is_input]
        if not {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}.isdisjoint(names):
            raise NotUnderstood(node, USE)
        inputs = [each for each in signature.parameters if each.is_input]
        given = {each.name: converted(each, function.spelling, signature) for each in inputs}
        flags = given.get("flags") if signature.name in _FLAGGED else None
        if flags:
            given["flags"] = "0"
        call = f"{{library}}.{node.attr}({', '.join(given.values())})"
        if is_whole and signature.outputs:
            call = f"{STORE}({', '.join([call, *signature.outputs])})"
        if flags:
            call = f"{call} if ({flags}) == 0 else {{comch}}.ErrorCode.INVALID_VALUE"
        return Template(f"lambda {', '.join(names)}: {call}", {"library": node.value})

    def _is_last_of_calls(self, node: ast.Call, argument: ast.expr) -> bool:
        """Whether no argument behind one can change what is in the cell that this one gives."""
        behind = node.args[node.args.index(argument) + 1 :] if argument in node.args else node.args
        return all(self.is_place(each) or self._is_quiet(each) for each in behind)

    def _is_quiet(self, node: ast.expr) -> bool:
        """Whether an argument fills nothing: all that it calls are types of C."""
        called = (self._values.of(part.func) for part in ast.walk(node) if isinstance(part, ast.Call))
        return all(found and all(isinstance(key, Name) for key in keys(found)) for found in called)

    def is_place(self, node: ast.expr) -> bool:
        """Whether evaluating an expression twice, or after the call, gives the same."""
        if isinstance(node, ast.Call):
            functions = self._reaching.of(node.func)
            refers = bool(functions) and all(map(_refers, functions))
            return refers and bool(node.args) and all(map(self.is_place, node.args))
        if isinstance(node, ast.Attribute):
            return self.is_place(node.value)
        if isinstance(node, ast.Subscript):
            return self.is_place(node.value) and self.is_place(node.slice)
        return isinstance(node, ast.Name | ast.Constant)


def _sends(function: Signature) -> bool:
    """Whether a function is given a message, with its length."""
    return any(parameter.ctype == _MESSAGE for parameter in function.parameters)


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


def _is_new(node: ast.expr, given: Sequence[object]) -> bool:
    """Whether a cell is made for the call alone: it may as well be made behind it."""
    made = any(isinstance(key, Data) and key.node is node for key in given)
    return made and isinstance(node, ast.Call) and all(isinstance(part, ast.Constant) for part in node.args)


def _refers(function: Value) -> bool:
    """Whether a function is ctypes' byref or pointer."""
    key = next(keys([function]), None)
    return getattr(key, "package", "") == CTYPES and getattr(key, "name", "") in ("byref", "pointer")


def is_function_of(value: Value, *names: str) -> bool:
    """Whether a value is one of Python's own functions."""
    return isinstance(value, External) and value.name in {f"builtins.{name}" for name in names}
