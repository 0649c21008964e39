"""Scopes: which variable each name means; `symtable` is the oracle, over the standard library's own files."""

from __future__ import annotations

import ast
import contextlib
import random
import re
import symtable
import sys
import sysconfig
import textwrap
import warnings
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from migrate.python.scopes import Kind, Names, Scope
from migrate.python.source import Source, Unreadable
from tests.budget import SECONDS

LIBRARY = Path(sysconfig.get_path("stdlib"))
SAMPLE = 150
INLINED = sys.version_info >= (3, 12)  # comprehensions share the table of the function around them
IMPLICIT = {"__class__", "__classdict__", "__conditional_annotations__", ".0", ".type_params", ".generic_base"}
COMPREHENSIONS = {"ListComp": "listcomp", "SetComp": "setcomp", "DictComp": "dictcomp", "GeneratorExp": "genexpr"}


def library_files() -> list[Path]:
    """Return the standard library's files: a sample of them, and in stress all."""
    files = sorted(path for path in LIBRARY.rglob("*.py") if "site-packages" not in path.parts)
    return files if SECONDS else random.Random(9).sample(files, min(SAMPLE, len(files)))


def kind_of(scope: Scope, name: str) -> str:
    """Return whether a name is local, free or global in a scope."""
    home = scope.find(name).scope
    if home.kind is Kind.MODULE:
        return "local" if home is scope and name in home.own_names else "global"
    return "local" if home is scope else "free"


def kind_by_table(symbol: symtable.Symbol, table: symtable.SymbolTable) -> str:
    """Return what symtable says."""
    if table.get_type() == "module":
        return "local" if symbol.is_assigned() or symbol.is_imported() or symbol.is_annotated() else "global"
    return "free" if symbol.is_free() else "local" if symbol.is_local() else "global"


def plain(scope: Scope, name: str) -> str:
    """Return a name of a table as the text has it: `find` mangles by itself."""
    prefix = "_" + scope.owner.lstrip("_")
    return name.removeprefix(prefix) if scope.owner.strip("_") and name.startswith(prefix + "__") else name


def compare(scope: Scope, table: symtable.SymbolTable, mentioned: set[str]) -> list[str]:
    """Return the names about which a scope and its table differ."""
    symbols = {plain(scope, symbol.get_name()): symbol for symbol in table.get_symbols()}
    wrong = [f"{name}: not in the table" for name in mentioned - set(symbols)]
    for name, symbol in symbols.items():
        if name in IMPLICIT or (INLINED and name not in mentioned):
            continue
        expected = kind_by_table(symbol, table)
        if kind_of(scope, name) != expected:
            wrong.append(f"{name}: {kind_of(scope, name)}, should be {expected}")
    return wrong


def tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """Iterate over a table and those in it."""
    yield table
    for child in table.get_children():
        yield from tables(child)


def key(scope: Scope) -> tuple[str, int]:
    """Return what a scope's table goes by."""
    node = scope.node
    if not isinstance(node, ast.stmt | ast.expr):
        return "top", 0
    name = COMPREHENSIONS.get(type(node).__name__, "lambda")
    return getattr(node, "name", name), node.lineno


def disagreements(text: str) -> list[str]:
    """Return every name of a text whose scope is not the one that symtable has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        top = symtable.symtable(text, "file", "exec")
    names = Names(ast.parse(text))
    scopes: dict[tuple[str, int], list[Scope]] = {}
    for scope in names.scopes.values():
        scopes.setdefault(key(scope), []).append(scope)
    mentioned: dict[Scope, set[str]] = {}
    for node in names.of:
        if isinstance(node, ast.Name) and not any(in_annotation(names, place) for place in [node, *names.above(node)]):
            mentioned.setdefault(names.scope(node), set()).add(node.id)
    wrong = []
    for table in tables(top):
        kind = str(getattr(table.get_type(), "value", table.get_type()))
        if kind not in {"module", "class", "function"}:
            continue  # annotations and type parameters, which have tests of their own
        name, line = ("top", 0) if kind == "module" else (table.get_name(), table.get_lineno())
        complaints = [compare(scope, table, mentioned.get(scope, set())) for scope in scopes.get((name, line), [])]
        if not complaints:
            wrong.append(f"line {line}: no scope for {name}")
        elif all(complaints):  # two lambdas of one line go by the same key
            wrong += [f"line {line}, {name}: {complaint}" for complaint in complaints[0]]
    return wrong


def in_annotation(names: Names, node: ast.AST) -> bool:
    """Whether a node is an annotation: with the future import those have no names in the tables."""
    parent = names.parents.get(node)
    return node in (getattr(parent, "annotation", None), getattr(parent, "returns", None)) and node is not None


@pytest.mark.timeout(SECONDS + 300)
def test_standard_library() -> None:
    """Every name of the standard library has the scope that the interpreter gives it."""
    wrong = []
    for path in library_files():
        # The library has files for tests of bad syntax; some parse, and are refused when their names are resolved.
        with contextlib.suppress(Unreadable, SyntaxError):
            wrong += [f"{path.name}: {complaint}" for complaint in disagreements(Source(path.read_bytes()).text)]
    assert not wrong, "\n".join(wrong[:20])


PROGRAMS = {
    "a nonlocal above the binding": """
        def outer():
            def inner():
                nonlocal x
                x = 1
            x = 0
            return x
        """,
    "a class hides nothing from its methods": """
        def outer(x):
            class C:
                x = x
                y = [x for _ in range(3)]
                z = [_ for _ in x]
                def method(self):
                    return x, __class__
                class D:
                    w = x
            global C2
            class C2:
                global x
                x = 1
                def method(self):
                    return x
        """,
    "global in an outer function": """
        def outer():
            global x
            x = 1
            def inner():
                return x
            lambda: x
        """,
    "private names": """
        class _C:
            __x = 1
            def __method(self, __a, *, __b=__y):
                import __m.n
                global __g
                __g = __a
                return __x, __b, __m, self.__x, lambda: __a
        class __:
            __x = 1
        """,
    "walrus in comprehensions": """
        def outer(y):
            [last := y for y in range(3)]
            return [[(total := total + z) for z in y] for y in last]
        """,
    "deletions and declarations": """
        def outer():
            del a
            b: int
            (c): int
            d: int = 1
            e += 1
            return a, b, c, d, e
        """,
    "match, with, for, except and star patterns": """
        def outer(x):
            match x:
                case {"a": b, **rest} | [b, *rest]:
                    pass
                case str(c) as d:
                    pass
            with a as (e, [*f]), g as x.h:
                pass
            for i, x.j in x:
                pass
            try:
                pass
            except E as k:
                pass
            return lambda: (b, rest, c, d, e, f, i, k)
        """,
    "defaults, decorators and bases stand outside": """
        def outer(x):
            @x
            def f(x=x, *args: x, y=lambda x: x, **more: x) -> x: ...
            @x
            class C(x, key=x): ...
            return f"{x!r:{x}} {(lambda x: x)}"
        """,
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text: str) -> None:
    """Every name has the scope that the interpreter gives it, in shapes that the library has seldom."""
    assert not disagreements(textwrap.dedent(text))


def variables(text: str) -> dict[str, list[str]]:
    """Return, for each name marked as `name`, the kind and line of the scope that its uses have, in order."""
    names = Names(ast.parse(textwrap.dedent(text)))
    found: dict[str, list[str]] = {}
    for node, variable in names.of.items():
        if isinstance(node, ast.Name):
            home = variable.scope
            owner = getattr(home.node, "name", "")
            found.setdefault(node.id, []).append(f"{home.kind.value} {owner if isinstance(owner, str) else ''}".strip())
    return found


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_parameters() -> None:
    """Parameters of generic functions, classes and type statements have a scope around them."""
    found = variables("""
        x = T = 1
        def f[T: x](a: T = x) -> T: return T, x
        class C[T](Base[T]):
            x = 2
            type Alias[U] = U | x | T
        T
        """)
    assert found["T"] == ["module", "types f", "types f", "types f", "types C", "types C", "module"]
    assert found["x"] == ["module", "module", "module", "module", "class C", "class C"]
    assert found["U"] == ["types"]


def test_class_of_methods() -> None:
    """`__class__` means the innermost class around a method, whatever the class body binds."""
    names = Names(ast.parse("class C:\n  __class__ = 1\n  def m(self): return __class__\n__class__"))
    bound, inside, outside = (names.of[node] for node in names.of if getattr(node, "id", "") == "__class__")
    assert bound is not inside
    assert [inside.scope.kind, outside.scope.kind] == [Kind.CLASS, Kind.MODULE]
    assert inside.bindings == outside.bindings == []


def test_variable() -> None:
    """A variable knows what binds, reads, deletes and declares it."""
    names = Names(ast.parse("import a.b\na: int\na += 1\nfor a in a: pass\ndel a\ndef f():\n  global a\n  a = 2"))
    variable = names.module.variables["a"]
    assert [type(node).__name__ for node in variable.bindings] == ["alias", "Name", "Name", "Name"]
    assert [node.lineno for node in variable.loads] == [3, 4]
    assert [node.lineno for node in variable.deletions] == [5]
    assert [type(node).__name__ for node in variable.declarations] == ["Name", "Global"]


def test_fallback() -> None:
    """A class body reads the module's variable while its own is not bound."""
    names = Names(ast.parse("cc = 1\nclass C:\n  if cc: cc = cc\n  cc\ncc"))
    loads = [node for node in names.of if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    asked, copied, inside, outside = sorted(loads, key=lambda node: (node.lineno, node.col_offset))
    module = names.module.variables["cc"]
    assert [names.of[node] for node in (asked, copied, outside)] == [module] * 3
    assert names.of[inside].scope.kind is Kind.CLASS
    assert names.fallback(inside) is module
    assert module.loads == [asked, copied, inside, outside]
    assert [names.fallback(node) for node in (asked, copied, outside)] == [None] * 3


class Bodies:
    """Class bodies at random that bind and read X; `seen(n, X)` is the nth place that reads it."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self) -> str:
        """Return a class."""
        places = count()
        lines = (re.sub("seen", lambda _: f"seen({next(places)}, X)", line) for line in self.suite(2))
        return "class C:\n" + "\n".join(f"  {line}" for line in lines)

    def suite(self, depth: int) -> list[str]:
        """Return the lines of a suite."""
        return [line for _ in range(self._random.randint(1, 4)) for line in self.statement(depth)]

    def statement(self, depth: int) -> list[str]:
        """Return the lines of a statement."""
        if depth and self._random.random() < 0.4:
            return self.compound(["  " + line for line in self.suite(depth - 1)])
        return self._random.choice(
            [
                ["seen"],
                ["X = seen and OWN"],
                ["X: int = seen and OWN"],
                ["X: seen"],
                ["X: seen = OWN"],
                ["X = OWN", "X += seen"],
                ["@made(seen)", "def X(self, given=seen): ..."],
                ["@made(seen)", "class X(made(seen)(object)): ..."],
                ["(X := OWN) and seen"],
                ["NO and (X := OWN); seen"],
                ["import os.path as X", "seen"],
                ["try: del X", "except NameError: pass", "seen"],
                ["also = [seen for one in [seen]]"],
            ]
        )

    def compound(self, inner: list[str]) -> list[str]:
        """Return the lines of a compound statement around others."""
        some = self._random.randint(0, 2)
        return self._random.choice(
            [
                [f"if {self._random.choice(['NO and', ''])} seen:", *inner, "else:", *inner],
                [f"for X in [seen, OWN][{some}:]:", *inner],
                [f"for again in range({some}):", *inner],
                ["with nothing(seen) as X:", *inner],
                ["try:", *inner, "  raise OSError", "except (seen and OSError) as X:", *inner],
                ["match seen:", "  case X:", *("  " + line for line in inner)],
            ]
        )


@pytest.mark.parametrize("seed", range(int(10 * SECONDS) or 100))
def test_what_a_class_body_reads(seed: int) -> None:
    """A name that a class body reads means the variables that it has when the body is run."""
    text = Bodies(seed).text()
    read: dict[int, set[str]] = {}

    def seen(place: int, value: object) -> object:
        read.setdefault(place, set()).add("module" if value is given["X"] else "own")
        return value

    given = {
        "X": 7,
        "OWN": 8,
        "NO": 0,
        "seen": seen,
        "made": lambda _: lambda it: it,
        "nothing": contextlib.nullcontext,
    }
    with contextlib.suppress(NameError, TypeError):
        exec(compile(text, "body", "exec", dont_inherit=True), given)
    names = Names(ast.parse(f"X = 7\n{text}"))
    for call in ast.walk(names.tree):
        if isinstance(call, ast.Call) and len(call.args) == 2:
            place, name = call.args
            assert isinstance(place, ast.Constant)
            assert isinstance(place.value, int)
            assert isinstance(name, ast.Name)
            module = names.module.variables["X"]
            means = {"module": name in module.loads, "own": names.of[name] is not module}
            assert all(means[one] for one in read.get(place.value, ())), text


def test_places() -> None:
    """A node knows its statement, its function and its scope."""
    names = Names(ast.parse("def f(a=x):\n  class C:\n    y\n  return [z for b in w]\n"))
    places = {node.id: node for node in names.of if isinstance(node, ast.Name)}
    kinds = {name: names.scope(node).kind.value for name, node in places.items()}
    assert kinds == {"x": "module", "y": "class", "z": "comprehension", "b": "comprehension", "w": "function"}
    functions = {name: type(names.function(node)).__name__ for name, node in places.items()}
    assert functions == {"x": "Module", **dict.fromkeys("ybzw", "FunctionDef")}
    assert isinstance(names.statement(places["z"]), ast.Return)


def test_deep_expressions() -> None:
    """Deep syntax ends no walk."""
    names = Names(ast.parse("+".join(["a"] * 900) + "\n" + "x" + ".y" * 900 + "(1 + " * 80 + "1" + ")" * 80))
    assert len(names.module.variables["a"].loads) == 900
