"""What proves that nothing else of a program runs while one of its calls waits."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeGuard

from migrate.facts.program import Facts
from migrate.old_api.generations import VOCABULARY
from migrate.python.values import External

# Modules of the standard library that call nothing of the program's in the background: no thread, signal or loop.
_HARMLESS = {"__future__", "abc", "argparse", "array", "ast", "atexit", "base64", "binascii", "bisect", "calendar"}
_HARMLESS |= {"collections", "collections.abc", "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal"}
_HARMLESS |= {"difflib", "enum", "errno", "fractions", "functools", "getopt", "getpass", "glob", "gzip", "hashlib"}
_HARMLESS |= {"heapq", "hmac", "html", "io", "ipaddress", "itertools", "json", "keyword", "locale", "logging", "lzma"}
_HARMLESS |= {"math", "mmap", "numbers", "operator", "os", "os.path", "pathlib", "platform", "pprint", "queue"}
_HARMLESS |= {"re", "secrets", "select", "selectors", "shlex", "shutil", "socket", "stat", "statistics", "string"}
_HARMLESS |= {"struct", "subprocess", "sys", "tempfile", "textwrap", "time", "traceback", "types", "typing", "uuid"}
_HARMLESS |= {"random", "warnings", "zlib"}
# With these a program may do what its text does not show.
_HIDING = frozenset({"eval", "exec", "__import__", "setattr", "globals", "monkeypatch", "mocker"})
_HIDING |= {"locals", "vars", "dir", "f_locals", "_getframe", "tb_frame"}
_HOOKS = frozenset({"__del__", "__getattr__", "__getattribute__", "__get__", "__set__", "__setattr__"})
_LIFE = {"__init__", "__post_init__", "__enter__", "__exit__", "__call__", "__iter__", "__next__", "__hash__"}
_PURE = {frozenset({External(name)}) for name in ("builtins.len", "struct.pack")}
_SLEEP = frozenset({External("time.sleep")})
_LONGEST_S = 3600  # time.sleep refuses what is absurd


class Quiet:
    """Answers about one project."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def is_sequential(self) -> bool:
        """Whether the project has one thread, no handler of signals, and no finalizer."""
        return all(self._is_harmless(path, node) for path, names in self._facts.names.items() for node in names.parents)

    def _is_harmless(self, path: Path, node: ast.AST) -> bool:
        match node:
            case ast.Import():
                return all(self._is_known(path, alias.name, 0) for alias in node.names)
            case ast.ImportFrom():
                return self._is_known(path, node.module or "", node.level)
            case ast.Name(id=name) | ast.arg(arg=name):
                return name not in _HIDING
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                return name not in _HOOKS
            case ast.Attribute(attr=name, ctx=context):
                return name not in _HIDING and not (name == "sleep" and isinstance(context, ast.Store))
        return True

    def _is_known(self, path: Path, module: str, level: int) -> bool:
        known = not level and (module in _HARMLESS or module in VOCABULARY.packages)
        return known or self._facts.project.resolve(path, module, level) is not None

    def is_called_inside(self, node: ast.AST) -> bool:
        """Whether the function of a node is only called by what the project itself starts, as far as is known."""
        todo, seen = [node], set[ast.AST]()
        while todo:
            place = todo.pop()
            function = self._facts.names[self._facts.values.path(place)].function(place)
            if function in seen or isinstance(function, ast.Module):
                continue
            if self._facts.values.is_called_from_outside(function):
                return False
            seen.add(function)
            todo += self._facts.values.callers(function)
        return True

    @cached_property
    def _defined(self) -> frozenset[str]:
        """The names of all functions, and of what a class computes: an attribute may run those when it is read."""
        nodes = [node for names in self._facts.names.values() for node in names.parents]
        functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        bodies = [statement for node in nodes if isinstance(node, ast.ClassDef) for statement in node.body]
        made = [statement for statement in bodies if isinstance(statement, ast.Assign | ast.AnnAssign)]
        computed = [statement for statement in made if not isinstance(statement.value, ast.Constant | None)]
        return frozenset(functions | {name.id for node in computed for name in ast.walk(node) if _is_stored(name)})

    @cached_property
    def _has_operators(self) -> bool:
        """Whether an operator, len or formatting may run what the project defines."""
        return any(name.startswith("__") and name not in _LIFE for name in self._defined)

    def is_stable(self, node: ast.expr) -> bool:
        """Whether an expression is the same, without an effect, each time that a loop evaluates it."""
        match node:
            case ast.Attribute(value=owner, attr=name):
                return name not in self._defined and self.is_stable(owner)
            case ast.Call(func=ast.Attribute(value=text, attr="encode"), args=arguments, keywords=[]):
                return "encode" not in self._defined and all(map(self.is_stable, [text, *arguments]))
            case ast.Call(func=function, args=parts, keywords=[]):
                return self._is_pure(function) and self._are_stable(parts)
            case ast.BinOp(left=left, right=right):
                return self._are_stable([left, right])
            case ast.JoinedStr(values=parts) | ast.Tuple(elts=parts):
                return self._are_stable(parts)
            case ast.FormattedValue(value=value, format_spec=shape):
                return self._are_stable([value, shape] if shape else [value])
            case ast.Subscript():
                return False  # a loop may store another item there
        return self._facts.is_simple(node)

    def _are_stable(self, parts: Sequence[ast.expr]) -> bool:
        return not self._has_operators and all(map(self.is_stable, parts))

    def _is_pure(self, function: ast.expr) -> bool:
        return self._facts.values.of(function) in _PURE

    def is_harmless(self, node: ast.expr) -> bool:
        """Whether an expression has no effect and raises nothing of the old API."""
        if isinstance(node, ast.Subscript):
            return not self._has_operators and self.is_stable(node.value) and self.is_stable(node.slice)
        return self.is_stable(node)

    def is_wait(self, statement: ast.stmt) -> bool:
        """Whether a statement only lets time go by."""
        match statement:
            case ast.Pass():
                return True
            case ast.Expr(value=ast.Call(func=function, args=[seconds], keywords=[])):
                duration = self._facts.constant(seconds)
                is_time = isinstance(duration, int | float) and 0 <= duration <= _LONGEST_S
                return is_time and self._facts.values.of(function) == _SLEEP
        return False


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
