"""Text that is read as code at run time: names in strings, doctests, annotations in quotes, f"{x=}"."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

from migrate.facts.forest import Forest, last_name
from migrate.facts.lookups import Lookups
from migrate.facts.quoted_names import QuotedNames, is_literal
from migrate.old_api.c_names import is_c_name
from migrate.old_api.generations import VOCABULARY
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.known_calls import LOOKING_UP, RUNNING

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LIBRARY = re.compile(r"(?:.*/)?lib[A-Za-z0-9_]+\.so[.0-9]*")
_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*(?::[A-Za-z_][A-Za-z0-9_.]*)?")  # also `module:name`
_PROMPT = re.compile(r"^\s*(?:>>>|\.\.\.) (.*)$", re.MULTILINE)
_RUN = RUNNING | frozenset({"timeit", "repeat", "Timer", "run", "runctx", "literal_eval"})
# Calls whose text arguments are names, code or C declarations.
_READERS = _RUN | LOOKING_UP | {"setattr", "delattr", "attrgetter", "methodcaller", "patch", "setitem"}
_READERS |= {"import_module", "__import__", "find_spec", "importorskip", "delitem", "delenv"}
# What opens a C library, what reads C, and what takes the name of a library or of something in it.
OPENERS = frozenset({"dlopen", "CDLL", "PyDLL", "LoadLibrary", "find_library", "set_source", "verify"})
_DECLARATIONS = frozenset({"cdef", "embedding_api", "def_extern", "new", "cast", "sizeof", "typeof", "callback"})
_READERS |= OPENERS | _DECLARATIONS | {"addressof"}
_LOOKS_UP = LOOKING_UP | {"", "[]", "addressof"}
_FEATURE_TESTS = frozenset({"hasattr", "find_spec", "importorskip"})


def is_old_word(word: str) -> bool:
    """Whether a word can only be of an old API: a C name, or the name of a module."""
    return is_c_name(word) or word.removeprefix("lib") in VOCABULARY.packages


class Texts:
    """Finds the names of the old API in the texts of all files; `aliases`: a file's own names for old things."""

    def __init__(
        self,
        forest: Forest,
        vocabulary: Vocabulary,
        lookups: Lookups,
        aliases: Callable[[Path], frozenset[str]],
        quoted: QuotedNames,
    ) -> None:
        self._forest, self._vocabulary, self._lookups, self._aliases = forest, vocabulary, lookups, aliases
        self._quoted = quoted
        # Files that run texts made elsewhere.
        self._runners = {path for path, call in forest.calls(RUNNING) if _runs_made_text(call)}

    def named(self, path: Path, node: ast.Constant) -> tuple[str, str] | None:
        """Return the first old name in a text that is read at run time, and the code for it."""
        text = node.value.decode("latin-1") if isinstance(node.value, bytes) else node.value
        if not isinstance(text, str):
            return None
        if is_annotation(self._forest, node) or self._quoted.is_type(node):
            word = self._first(path, text) or self._quoted.first(node, text)
            return (word, "CCM045") if word else None
        reads = reader(self._forest, node)
        if reads in _RUN or self._is_docstring(node):
            code = text if reads else "\n".join(_PROMPT.findall(text))
            word = self._first(path, code)
            return (word, "CCM005") if word else None
        if path in self._runners and (word := self._first(path, text)):
            return word, "CCM005"
        if isinstance(node.value, bytes) and not reads:
            return None  # a message
        words = [word for word in WORD.findall(text) if is_old_word(word)]
        if words and reads in ("", "[]") and is_c_name(words[0]) and self._lookups.is_mere_text(node):
            return None
        is_name = _DOTTED.fullmatch(text.strip()) or _LIBRARY.fullmatch(text)
        whole = is_name and words and words[0] not in self._vocabulary.constants
        if whole or (words and reads):
            return words[0], "CCM006" if reads in _FEATURE_TESTS else "CCM005"
        return None

    def types_in(self, node: ast.Constant) -> frozenset[str]:
        """Return the old names in a type in quotes."""
        return frozenset(self._quoted.names(node, str(node.value)))

    def names_library(self, node: ast.Constant) -> bool:
        """Whether a text with an old name names a C library, its functions or its types to cffi or ctypes."""
        reads, text = reader(self._forest, node), str(node.value)
        if reads in OPENERS | _DECLARATIONS:
            return True
        return reads in _LOOKS_UP and bool(_LIBRARY.fullmatch(text) or any(map(is_c_name, WORD.findall(text))))

    def opens_library(self, node: ast.AST) -> bool:
        """Whether a text with an old name is the name of a library, or is given to what opens one."""
        if not isinstance(node, ast.Constant):
            return False
        return reader(self._forest, node) in OPENERS or bool(_LIBRARY.fullmatch(str(node.value)))

    def is_named(self, path: Path, text: object) -> bool:
        """Whether some text, read as code, names something old."""
        return isinstance(text, str) and bool(self._first(path, text))

    def _first(self, path: Path, code: str) -> str:
        """Return the first word of some code that is an old name, or a name of the file for something old."""
        known = self._aliases(path)
        words = (word for word in WORD.findall(code) if word in known or is_old_word(word))
        return next(words, "")

    def _is_docstring(self, node: ast.Constant) -> bool:
        return isinstance(self._forest.parents[node], ast.Expr) and ">>>" in str(node.value)

    def shown(self, path: Path, node: ast.AST) -> bool:
        """Whether an f-string shows the source of an expression: f"{x=}"."""
        if not self._forest.in_file(path, ast.JoinedStr):
            return False
        inner = node
        for above in self._forest.above(node):
            if isinstance(above, ast.JoinedStr) and isinstance(inner, ast.FormattedValue):
                before = above.values[above.values.index(inner) - 1] if above.values[0] is not inner else None
                text = before.value if isinstance(before, ast.Constant) else ""
                source = "".join(WORD.findall(ast.unparse(inner.value)))
                if str(text).rstrip().endswith("=") and "".join(WORD.findall(str(text))).endswith(source):
                    return True
            elif isinstance(above, ast.stmt):
                return False
            inner = above
        return False


def reader(forest: Forest, node: ast.AST) -> str:
    """Return the function that reads a text argument as a name; "" when it is a message like any other."""
    inner = node
    for above in forest.above(node):
        if isinstance(above, ast.stmt | ast.Lambda):
            return ""
        if isinstance(above, ast.Call):
            name = last_name(above.func)
            return name if name in _READERS else ""
        if isinstance(above, ast.Subscript) and above.slice is inner:
            return "[]"
        inner = above
    return ""


def is_annotation(forest: Forest, node: ast.AST) -> bool:
    """Whether a text is an annotation in quotes, or a part of one."""
    inner = node
    for above in forest.above(node):
        if inner in (getattr(above, "annotation", None), getattr(above, "returns", None)):
            return True
        if isinstance(above, ast.stmt | ast.Call) or (isinstance(above, ast.Subscript) and is_literal(above)):
            return False
        inner = above
    return False


def _runs_made_text(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and bool(call.args) and not isinstance(call.args[0], ast.Constant)
