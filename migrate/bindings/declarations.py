"""What the texts of a project declare for cffi: types of callbacks, and constants of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence

from migrate.bindings.cdefs import COMMENTS
from migrate.bindings.enums import Enums
from migrate.bindings.shapes import is_of_chars
from migrate.old_api._tables import STRUCTS
from migrate.old_api.vocabulary import Parameter

_FUNCTION = re.compile(r"\btypedef\s+[\w\s*]+?(?:\(\s*\*\s*(\w+)\s*\)|\b(\w+))\s*\(([^()]*)\)\s*;")
_ALIAS = re.compile(r"\btypedef\s+([\w\s]+[\s*])(\w+)\s*;")
_STRUCT = re.compile(r"\btypedef\s+struct\s*\w*\s*\{([^{}]*)\}\s*(\w+)\s*;")
_TRUTH = re.compile(r"\b(?:bool|_Bool)\s+(doca_\w+)\s*\(")
_WORD = re.compile(r"(?<!struct )\b[a-zA-Z_]\w*")
_INLINE = re.compile(r"[\w\s*]+?(?:\(\s*\*?\s*\))?\s*\(([^()]*)\)\s*$")
_NUMBERS = frozenset(f"{sign}int{width}_t" for sign in ("", "u") for width in (8, 16, 32, 64))
_NUMBERS |= {"int", "long", "short", "char", "unsigned", "size_t", "ssize_t", "bool", "_Bool"}

_DEPTH = 5  # typedefs of typedefs
TRUTHS = frozenset({"bool", "_Bool"})


class Declarations:
    """Answers for one project. Types that two texts declare differently are not known."""

    def __init__(self, trees: Collection[ast.AST]) -> None:
        texts = [COMMENTS.sub("", node.value) for tree in trees for node in ast.walk(tree)
                 if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
        self._callbacks: dict[str, set[str]] = {}
        self._aliases: dict[str, set[str]] = {}
        self.enums = Enums(texts)
        self.truths = frozenset(name for text in texts for name in _TRUTH.findall(text))  # functions that give a bool
        self.compiled = {name: node for tree in trees for name, node in _compiled(tree)}
        for text in texts:
            for target, name in _ALIAS.findall(text):
                self._aliases.setdefault(name, set()).add(" ".join(target.split()))
            for fields, name in _STRUCT.findall(text):
                known = (struct for struct, rows in STRUCTS.items() if rows == tuple(_fields(fields)))
                self._aliases.setdefault(name, set()).update(f"struct {struct}" for struct in known)
            for behind_star, plain, parameters in _FUNCTION.findall(text):
                self._callbacks.setdefault(behind_star or plain, set()).add(parameters)

    def written_out(self, kind: str, depth: int = _DEPTH) -> str:
        """Return a type without the names that the program gives types: `struct doca_dev * *` for `dev_p *`."""
        return _WORD.sub(lambda word: self._alias(word[0], depth - 1), kind) if depth else kind

    def _alias(self, word: str, depth: int) -> str:
        found = self._aliases.get(word, set()) - {word, f"struct {word}", f"enum {word}"}
        return self.written_out(next(iter(found)), depth) if len(found) == 1 else word

    def shown(self, kind: str) -> Sequence[str]:
        """Return for each parameter of a type of a function the type, when that is not a pointer, nor a plain number.

        Nothing for a type that is not known.
        """
        found = self._parameters(kind)
        return [_shown(self.written_out(part)) for part in next(iter(found)).split(",")] if len(found) == 1 else []

    def parameter(self, kinds: Collection[str], index: int) -> str:
        """Return the type of a parameter of a function of the only one of some types, "" where that is not known."""
        found = {parameters for kind in kinds for parameters in self._parameters(kind)}
        given = next(iter(found)).split(",") if len(found) == 1 else []
        return self.written_out(given[index]) if index < len(given) else ""

    @property
    def is_shown(self) -> bool:
        """Whether some callback is declared with a parameter that is neither."""
        rows = (row for found in self._callbacks.values() for row in found)
        return any(_shown(self.written_out(part)) for row in rows for part in row.split(","))

    def _parameters(self, kind: str) -> set[str]:
        inline = _INLINE.match(kind)
        return self._callbacks.get(kind.replace("*", "").strip(), set()) or ({inline.group(1)} if inline else set())

    def may_be(self, kind: str, callback: Sequence[Parameter]) -> bool:
        """Whether a type of a function may be that of a callback of the library."""
        found = self._parameters(kind)
        return len(found) != 1 or self._fits(next(iter(found)), callback)

    def _fits(self, parameters: str, callback: Sequence[Parameter]) -> bool:
        given = [part.strip() for part in parameters.split(",")]
        pairs = zip(given, callback, strict=False)
        return len(given) == len(callback) and all(self._is_alike(ctype, parameter) for ctype, parameter in pairs)

    def _is_alike(self, ctype: str, parameter: Parameter) -> bool:
        """Whether both are pointers, or both numbers, as far as that is known; user data is declared as either."""
        kind = self.written_out(ctype)
        is_pointer = "*" in kind
        is_number = not is_pointer and not _NUMBERS.isdisjoint(kind.split())
        if parameter.is_user_data or not (is_pointer or is_number):
            return True
        return is_pointer == ("*" in parameter.ctype)


def _shown(parameter: str) -> str:
    """Return the type of a parameter that cffi shows as something else than a whole number."""
    words = set(parameter.split())
    if "*" in parameter:
        return ""
    if words & TRUTHS:
        return "bool"
    return "char" if is_of_chars(parameter) else "float" if words & {"float", "double"} else ""


def _fields(body: str) -> Iterator[tuple[str, str]]:
    """Yield the fields of a struct, each with its type."""
    for declared in filter(None, map(str.strip, body.split(";"))):
        kind, _, names = declared.partition(" ")
        yield from ((name.strip(), kind) for name in names.split(","))


def _compiled(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield the modules that cffi writes without C of the program's own, each with the FFI object it is made of."""
    made: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            made.setdefault(node.targets[0].id, []).append(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "set_source":
            owner, given = node.func.value, [getattr(argument, "value", ...) for argument in node.args]
            built = made.get(owner.id, []) if isinstance(owner, ast.Name) else []
            name = given[0] if len(given) == 2 and given[1] is None and not node.keywords else None
            if isinstance(name, str) and len(built) == 1 and isinstance(built[0], ast.Call):
                yield name, built[0]
