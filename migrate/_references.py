"""Every place where a file names the old API: what is rewritten and what is refused are counted against this list."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from migrate import _legacy
from migrate._evidence import Evidence
from migrate._flow import Flow
from migrate._shapes import handles

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WHOLE = re.compile(r"(?:lib)?(?:doca_comm_channel|doca_cc|comm_channel_compat)[A-Za-z0-9_.]*")
# Calls whose text arguments are names or C declarations.
READERS = frozenset({"getattr", "hasattr", "setattr", "delattr", "attrgetter", "methodcaller", "patch"})
READERS |= {"import_module", "__import__", "find_spec", "exec", "eval", "compile"}
READERS |= {
    "dlopen",
    "CDLL",
    "LoadLibrary",
    "find_library",
    "cdef",
    "set_source",
    "embedding_api",
    "def_extern",
}
READERS |= {"new", "cast", "sizeof", "typeof", "addressof", "callback"}

# Methods whose names others have too, with the numbers of arguments that old calls have.
_COUNTS = {"listen": {1}, "connect": {1}, "sendto": {2}, "recvfrom": {0, 1}, "destroy": {0}}
_MESSAGES = frozenset({"sendto", "recvfrom"})  # of these only sockets and the like have namesakes


@dataclass(eq=False)
class Reference:
    """One place; `code` says at once why it cannot be rewritten, '' that it depends."""

    node: ast.AST
    name: str
    line: int
    column: int
    code: str = ""


class References:
    """Finds the references of a file; `marked` are lines whose comment says that an unknown handle is used there."""

    def __init__(self, flow: Flow, marked: Set[int]) -> None:
        self.flow = flow
        self.names = flow.names
        self.evidence = Evidence(flow)
        self._marked = marked
        self.found = list(self._all())
        self.imports = {each.node for each in self.found if isinstance(each.node, ast.alias)}

    def _all(self) -> Iterator[Reference]:
        for node in ast.walk(self.names.tree):
            judge = getattr(self, "_of_" + type(node).__name__, None)
            if judge is not None:
                yield from judge(node)

    def _make(self, node: ast.expr | ast.alias, name: str, code: str = "") -> Reference:
        line, column = node.lineno, node.col_offset
        if isinstance(node, ast.Attribute):  # the name after the dot, which may stand on another line
            line, column = node.end_lineno or line, (node.end_col_offset or 0) - len(node.attr.encode())
        return Reference(node, name, line, column, code)

    # ------------------------------------------------------------------ imports

    def _of_alias(self, node: ast.alias) -> Iterator[Reference]:
        if self.flow.imported(node) is not None:
            yield self._make(node, node.name, self._feature_test(node))
            return
        statement = self.names.parents[node]
        home = statement.module or "" if isinstance(statement, ast.ImportFrom) and not statement.level else ""
        second = {node.name, home, f"{home}.{node.name}"} & _legacy.SECOND_GENERATION_MODULES
        if isinstance(statement, ast.ImportFrom) and statement.level:
            return  # a module of the program's own package, whatever its name
        if second:
            yield self._make(node, node.name, "CCM008")
        elif home.split(".")[0] in _legacy.MODULES:
            yield self._make(node, node.name, "CCM002")
        elif isinstance(statement, ast.Import) and node.name.split(".")[0] in _legacy.MODULES:
            yield self._make(node, node.name, "CCM022")
        elif isinstance(statement, ast.ImportFrom) and _legacy.is_c_name(node.name):
            yield self._make(node, node.name, self._c_code(node.name))

    def _c_code(self, name: str) -> str:
        return "CCM008" if _legacy.is_second_generation(name) else "CCM007"

    # ------------------------------------------------------------------ names

    def _of_Name(self, node: ast.Name) -> Iterator[Reference]:  # noqa: N802
        if not isinstance(node.ctx, ast.Load):
            return
        symbol = self.flow.symbol(node)
        parent = self.names.parents[node]
        if symbol is None:
            if _legacy.is_c_name(node.id) and not self._is_own(node):
                yield self._make(node, node.id, self._c_code(node.id))
            elif self._is_second_module(node):
                used = parent.attr if isinstance(parent, ast.Attribute) else node.id
                yield self._make(parent if isinstance(parent, ast.Attribute) else node, used, "CCM008")
        elif not symbol.name and not (isinstance(parent, ast.Attribute) and parent.value is node):
            yield self._make(node, node.id, self._module_code(parent, symbol.sure))
        elif symbol.name:
            yield self._make(node, symbol.name, self._symbol_code(node, symbol.sure))

    def _is_own(self, node: ast.Name) -> bool:
        """Bound in this file to something else than an import: the program's own name."""
        bindings = self.names.of[node].bindings
        return bool(bindings) and not any(isinstance(each, ast.alias) for each in bindings)

    def _is_second_module(self, node: ast.Name) -> bool:
        for binding in self.names.of[node].bindings:
            statement = self.names.parents.get(binding)
            if isinstance(binding, ast.alias) and isinstance(statement, ast.Import | ast.ImportFrom):
                home = statement.module or "" if isinstance(statement, ast.ImportFrom) else ""
                if {binding.name, home, f"{home}.{binding.name}"} & _legacy.SECOND_GENERATION_MODULES:
                    return not getattr(statement, "level", 0)
        return False

    def _module_code(self, parent: ast.AST, sure: bool) -> str:
        called = parent.func if isinstance(parent, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in ("hasattr", "getattr"):
            return "CCM006" if called.id == "hasattr" else "CCM005"
        return "CCM009" if sure else "CCM004"

    def _symbol_code(self, node: ast.expr, sure: bool) -> str:
        return self._feature_test(node) if sure else "CCM004"

    def _feature_test(self, node: ast.AST) -> str:
        """CCM006 when the place is a branch of ``if hasattr(<old module>, ...)``."""
        for above in self.names.above(node):
            if isinstance(above, ast.If):
                for test in ast.walk(above.test):
                    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "hasattr":
                        symbol = self.flow.symbol(test.args[0]) if test.args else None
                        texts = [each.value for each in test.args if isinstance(each, ast.Constant)]
                        named = any(_legacy.is_c_name(str(each)) for each in texts)
                        if named or (symbol is not None and not symbol.name):
                            return "CCM006"
        return ""

    # ------------------------------------------------------------------ attributes

    def _of_Attribute(self, node: ast.Attribute) -> Iterator[Reference]:  # noqa: N802
        symbol = self.flow.symbol(node)
        if symbol is not None:
            if symbol.name:
                yield self._make(node, symbol.name, self._symbol_code(node, symbol.sure))
            return
        if isinstance(node.value, ast.Name) and self._is_second_module(node.value):
            return  # counted with its module
        held = list(handles(self.flow.shapes(node.value)))
        if any((each.kind, node.attr) in _legacy.METHODS for each in held):
            yield self._make(node, node.attr, self._feature_test(node))
        elif _legacy.is_c_name(node.attr):
            yield self._make(node, node.attr, self._c_code(node.attr))
        elif not held and self._is_likely(node):
            yield self._make(node, node.attr, "CCM034")

    def _is_likely(self, node: ast.Attribute) -> bool:
        """A method that only old handles have, or one of theirs on something that may be an old handle."""
        if not isinstance(node.ctx, ast.Load):
            return False
        named = node.attr in _legacy.DISTINCT or node.attr in _COUNTS
        if node.end_lineno in self._marked and named:
            return True
        if not named or not self._imports_old():
            return False
        if node.attr in _legacy.MODERN_TOO and self._imports("comch_next"):
            return False
        if node.attr in _legacy.DISTINCT:
            return True
        if not self._may_be_old(node):
            return False
        if node.attr in _MESSAGES:
            return not self.evidence.is_something_else(node.value)
        known = not isinstance(node.value, ast.Name) or bool(self.flow.shapes(node.value))
        return not known and not self.evidence.is_something_else(node.value)

    def _may_be_old(self, node: ast.Attribute) -> bool:
        """Whether a method is taken as a value, or called with as many arguments as the old one takes."""
        call = self.names.parents[node]
        if not isinstance(call, ast.Call) or call.func is not node:
            return node.attr in _MESSAGES
        hidden = any(isinstance(each, ast.Starred) for each in call.args)
        hidden = hidden or any(each.arg is None for each in call.keywords)
        return hidden or len(call.args) + len(call.keywords) in _COUNTS[node.attr]

    def _imports(self, module: str) -> bool:
        return any(isinstance(each, ast.alias) and each.name == module for each in ast.walk(self.names.tree))

    def _imports_old(self) -> bool:
        aliases = (each for each in ast.walk(self.names.tree) if isinstance(each, ast.alias))
        return self.flow.star or any(self.flow.imported(each) is not None for each in aliases)

    # ------------------------------------------------------------------ text

    def _of_Constant(self, node: ast.Constant) -> Iterator[Reference]:  # noqa: N802
        if not isinstance(node.value, str | bytes):
            return
        text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        if self._is_annotation(node):
            yield from self._annotation(node, text)
            return
        words = [word for word in _WORD.findall(text) if self._is_old_word(word)]
        if words and (_WHOLE.fullmatch(text.strip()) or self._reader(node)):
            yield self._make(node, words[0], "CCM006" if self._reader(node) == "hasattr" else "CCM005")

    def _is_old_word(self, word: str) -> bool:
        plain = word.removeprefix("lib")
        return _legacy.is_c_name(word) or plain in _legacy.MODULES | {"doca_cc"}

    def _reader(self, node: ast.AST) -> str:
        """The function that reads a text argument as a name; '' when it is a message like any other."""
        for above in self.names.above(node):
            if isinstance(above, ast.stmt | ast.Lambda):
                return ""
            if isinstance(above, ast.Call):
                func = above.func
                name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
                return name if name in READERS else ""
            if isinstance(above, ast.Subscript) and above.slice is node:
                return "[]"
        return ""

    def _is_annotation(self, node: ast.Constant) -> bool:
        parent = self.names.parents[node]
        return node is getattr(parent, "annotation", None) or node is getattr(parent, "returns", None)

    def _annotation(self, node: ast.Constant, text: str) -> Iterator[Reference]:
        for word in _WORD.findall(text):
            symbols = (self.flow.symbol(each) for each in self.names.of if each.id == word)
            named = next((each for each in symbols if each), None)
            aliased = any(word == (alias.asname or alias.name) for alias in ast.walk(self.names.tree)
                          if isinstance(alias, ast.alias) and self.flow.imported(alias) is not None)  # fmt: skip
            if named or aliased:
                yield self._make(node, word, "CCM045")
                return
