"""The analysis ends on every program, and beyond its bounds it knows less: no value is lost. Steps are counted."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.facts.program import Facts
from migrate.python._points_to import functions, items
from migrate.python._points_to.slots import Slot, Solver
from migrate.python.modules import Project
from migrate.python.source import Source
from migrate.python.values import Function, Plain, Token, Values
from tests.migrate.counting import is_linear
from tests.migrate.test_values import CASES, node, one
from tests.migrate.values_knowledge import Library

LIMIT = 300_000  # steps; an analysis that does not end takes more


@pytest.fixture(autouse=True)
def ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an analysis fail that goes on for too long."""
    pass_on = Solver._pass_on

    def counted(solver: Solver, slot: Slot) -> None:
        assert solver.steps < LIMIT, "the analysis does not end"
        pass_on(solver, slot)

    monkeypatch.setattr(Solver, "_pass_on", counted)


def steps(text: str) -> int:
    """The work that the facts of a program of the old API are."""
    sources = {Path("app.py"): Source(f"import doca_comm_channel as cc\nimport comch_next\n{text}".encode())}
    return Facts(sources, frozenset(sources)).values.steps


@pytest.mark.parametrize(
    ("base", "other"), [("comch_next.Client", "comch_next.Server()"), ("cc.Endpoint", "cc.Endpoint")]
)
def test_fields_of_a_class_that_extends_one_of_the_library_are_bound_once(base: str, other: str) -> None:
    assert steps(f"class Mine({base}): pass\nmine, other = Mine(), {other}\nother.peer = mine.peer\n") < 100


@pytest.mark.parametrize("base", ["comch_next.Client", "cc.Endpoint"])
@pytest.mark.parametrize("link", ["x{0} = M{0}()\nx{0}.peer = x{1}.peer", "x{0} = M{0}(x{1})"])
def test_heirs_that_share_attributes_in_a_chain_do_not_multiply(base: str, link: str) -> None:
    def chain(count: int) -> str:
        body = "    def __init__(self, inner):\n        self.inner = inner\n        self.peer = inner.peer\n"
        body = body if "(x" in link else "    pass\n"
        classes = "".join(f"class M{number}({base}):\n{body}" for number in range(1, count))
        links = (link.format(number, number - 1) for number in range(1, count))
        return f"class M0({base}): pass\n{classes}x0 = M0()\n" + "\n".join(links)

    few, more, many = (steps(chain(count)) for count in (10, 20, 40))
    assert more < 2.2 * few
    assert many < 2.2 * more


def sums(count: int) -> str:
    return "row = ()\n" + "".join(f"row = row + (cc.Endpoint(), {number})\n" for number in range(count))


def slices(count: int) -> str:
    return "row = ()\n" + "".join(f"row = row[{number}:] + (cc.Endpoint(),)\n" for number in range(count))


@pytest.mark.parametrize("made", [sums, slices])
def test_sums_and_slices_of_one_variable_do_not_multiply(made: Callable[[int], str]) -> None:
    assert steps(made(5)) < 10_000  # every order of five sums is 325 values
    few, many = (steps(made(count)) for count in (20, 40))
    assert many < 5 * few  # each sum has the values of all the others


def handed(count: int) -> str:
    return "".join(f"def f{number}(): pass\ntodo = f{number}\n" for number in range(count)) + "gettext.find(todo)\n"


def test_what_unknown_code_is_given_goes_there_once() -> None:
    assert is_linear(lambda parts: one(f"import gettext\n{handed(5 * parts)}"))


def commands(count: int) -> str:
    """A table of commands that call each other, and what stands in the table, with what they are given."""
    bodies = "".join(
        f"    def do_{number}(self, *args, **words):\n        if args:\n"
        f"            return self.do_{(number * 7 + 1) % count}(*args)\n"
        f"        return self.table[{number}](self, 1, 2)\n"
        for number in range(count)
    )
    table = ", ".join(f"do_{number}" for number in range(count))
    return f"class Link:\n{bodies}    table = [{table}]\nlink = Link()\nlink.do_0(cc.Endpoint())\n"


def test_commands_of_a_table_that_call_each_other_do_not_multiply() -> None:
    assert steps(commands(20)) < 100_000  # some of the table are told apart, and all ways over three of these
    few, many = steps(commands(30)), steps(commands(60))
    assert many < 9 * few  # each calls all of the table


CLOSURES = [
    "def o(f):\n    return lambda k: o((f, k))\nx = o(library.A())\nx = x(x)\n",
    "def a(f):\n    return b(f, lambda q: a(q))\ndef b(f, g):\n    return lambda q: g(b(q, f))\n"
    "x = a(a)\nx = b(x, x(x))\n",
    "class T:\n    def then(self, f):\n        self.f = f\n        return lambda x: self.then(lambda y: f(x))\n"
    "x = T().then(library.A())\nx = x(x)\n",
]


@pytest.mark.parametrize("text", CLOSURES)
def test_closures_of_closures_end(text: str) -> None:
    values, tree = one(text)
    assert any(isinstance(value, Function) for value in values.of(node(tree, "x")))


@pytest.mark.parametrize(
    "called",
    [
        "class A: pass\nA.__call__ = A()\nx = A()(library.A())\n",
        "class A: pass\nclass B: pass\nA.__call__, B.__call__ = B(), A()\nx = A()(library.A())\n",
        "import types\nclass A: pass\nA.__call__ = types.MethodType(A(), 1)\nx = A()(library.A())\n",
    ],
)
def test_objects_that_call_themselves_end(called: str) -> None:
    values, tree = one(called)
    assert Plain.UNKNOWN in values.of(node(tree, "x"))


def partials(count: int) -> str:
    return "class P:\n    def get(self, *args, **words): return args\n    def more(self):\n" + "".join(
        f"        setattr(self, str({number}), functools.partial(self.get, a{number}=getattr(self, str({number}))))\n"
        f"        setattr(self, str(-{number}), functools.partial(getattr(self, 'g' + str({number})), ep))\n"
        for number in range(count)
    )


def test_partials_of_partials_that_come_one_by_one_end() -> None:
    calls = "".join(f"p.get(getattr(p, str({number})))()\ngetattr(p, str({number}))(1)\n" for number in range(3))
    text = f"import functools\nep = cc.Endpoint()\n{partials(4)}p = P()\np.more()\n{calls}"
    assert steps(text) < LIMIT


@pytest.mark.parametrize("bound", [0, 1])
def test_beyond_the_bounds_no_value_is_lost(bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for case, files in CASES.items():
        trees = {path: ast.parse(text) for path, text in files.items()}
        fine = Values(Project(trees), Library())
        with monkeypatch.context() as patch:
            for name in ("MAX_CLOSURES", "MAX_CHAINS", "MAX_TARGETS"):
                patch.setattr(functions, name, bound)
            patch.setattr(items, "MAX_PARTS", bound)
            coarse = Values(Project(trees), Library())
        for part in (part for tree in trees.values() for part in ast.walk(tree) if isinstance(part, ast.expr)):
            lost = {value for value in fine.of(part) - coarse.of(part) if isinstance(value, Token)}
            assert not lost or Plain.UNKNOWN in coarse.of(part), (case, ast.unparse(part), lost)
