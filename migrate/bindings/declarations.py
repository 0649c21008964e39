"""What the texts of a project declare for cffi: types of callbacks, and constants of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from migrate.old_api.vocabulary import Parameter

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_FUNCTION = re.compile(r"\btypedef\s+[\w\s*]+?(?:\(\s*\*\s*(\w+)\s*\)|\b(\w+))\s*\(([^()]*)\)\s*;")
_POINTER = re.compile(r"\btypedef\s+[\w\s]+\*\s*(\w+)\s*;")
_INLINE = re.compile(r"[\w\s*]+?(?:\(\s*\*?\s*\))?\s*\(([^()]*)\)\s*$")
_NUMBERS = frozenset(f"{sign}int{width}_t" for sign in ("", "u") for width in (8, 16, 32, 64))
_NUMBERS |= {"int", "long", "short", "char", "unsigned", "size_t", "ssize_t", "bool", "_Bool"}

TRUTHS = frozenset({"bool", "_Bool"})


class Declarations:
    """Answers for one project. Types that two texts declare differently are not known."""

    def __init__(self, trees: Iterable[ast.AST]) -> None:
        texts = [_COMMENT.sub("", node.value) for tree in trees for node in ast.walk(tree)
                 if isinstance(node, ast.Constant) and isinstance(node.value, str)]  # fmt: skip
        self._callbacks: dict[str, set[str]] = {}
        self._pointers: set[str] = set()
        for text in texts:
            self._pointers.update(_POINTER.findall(text))
            for behind_star, plain, parameters in _FUNCTION.findall(text):
                self._callbacks.setdefault(behind_star or plain, set()).add(parameters)

    def shown(self, kind: str) -> Sequence[str]:
        """Return for each parameter of a type of a function the type, when that is not a pointer, nor a plain number.

        Nothing for a type that is not known.
        """
        found = self._parameters(kind)
        return [_shown(part) for part in next(iter(found)).split(",")] if len(found) == 1 else []

    @property
    def is_shown(self) -> bool:
        """Whether some callback is declared with a parameter that is neither."""
        return any(
            map(_shown, (part for found in self._callbacks.values() for row in found for part in row.split(",")))
        )

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
        is_pointer = "*" in ctype or not self._pointers.isdisjoint(ctype.split())
        is_number = not is_pointer and not _NUMBERS.isdisjoint(ctype.split())
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
    is_char = "char" in words and words.isdisjoint({"signed", "unsigned"})
    return "char" if is_char else "float" if words & {"float", "double"} else ""
