"""Control flow: the questions about paths, asked of calls that are named in small programs."""

from __future__ import annotations

import ast
import sys

import pytest

from migrate.python.control import Bound, Control, dotted
from migrate.python.scopes import FUNCTIONS, Names
from tests.migrate.control_program import Program


def pairs(text: str, **questions: bool) -> set[str]:
    """Return `ab` for each a after which b may be done."""
    program = Program(text, **questions)
    names = [name for name in program.places if len(name) == 1]
    return {a + b for a in names for b in names if program.graph.reaches(program.call(a), program.call(b))}


REACHES = {
    "one after the other": ("a(b(), c())", "bc ba ca"),
    "branches": ("if a(): b()\nelif c(): d()\nelse: e()\ng()", "ab ac ad ae ag bg cd ce cg dg eg"),
    "a loop": ("for i in a(): b()\nelse: c()", "ab ac bb bc"),
    "break": ("while a():\n  if b(): break\nelse: c()\nd()", "aa ab ac ad ba bb bc bd cd"),
    "an endless loop": ("while True:\n  a()\nb()", "aa"),
    "continue": ("for i in y:\n  if a(): continue\n  b()", "aa ab ba bb"),
    "return": ("if x: return a()\nb()", ""),
    "a short circuit": ("a() and b() or c()", "ab ac bc"),
    "a conditional expression": ("b() if a() else c()", "ab ac"),
    "a comprehension": ("[a() for i in b() if c()]", "bc ba ca ac cc aa"),
    "a handler": ("try: a()\nexcept E: b()\nelse: c()\nd()", "ab ac ad bd cd"),
    "finally": ("try: return a()\nfinally: b()\nc()", "ab"),
    "finally, jumps": (
        "for i in y:\n  try:\n    if a(): break\n  finally: b()\n  c()\nd()",
        "ab ac ad bc ba bb bd ca cb cc cd aa",
    ),
    "with": ("with a() as z: b()\nc()", "ab ac bc"),
    "raise": ("try: raise a()\nexcept b(): c()", "ab ac bc"),
    "what exits": ("if x: sys.exit(a())\nb()", ""),
    "what exits inside a try": ("try: sys.exit(a())\nfinally: b()", "ab"),
    "match": ("match a():\n  case 1: b()\n  case _: c()\nd()", "ab ac ad bd cd"),
    "assert": ("assert a(), b()\nc()", "ab ac"),
    "a class body": ("class C(a()): b()\nc()", "ab ac bc"),
    "constants": ("if 0: a()\nwhile 1:\n  b()\n  break\nc()", "bc"),
    "nothing but False": ("a() if False else b()", ""),
    "comparisons": ("a() < b() < c()", "ab ac bc"),
    "keywords": ("a(x=b(), *c())", "cb ca ba"),
    "assignment": ("a().x[b()] = c()", "ca cb ab"),
    "augmented assignment": ("a().x += b()", "ab"),
    "a generator": ("try: yield a()\nexcept GeneratorExit: b()", "ab"),
}


@pytest.mark.parametrize(("text", "expected"), REACHES.values(), ids=REACHES)
def test_reaches(text: str, expected: str) -> None:
    """A path leads from one call to another exactly where Python has one."""
    assert pairs(text) == set(expected.split())


@pytest.mark.skipif(sys.version_info < (3, 11), reason="syntax of Python 3.11")
def test_exception_groups() -> None:
    """Clauses for groups may all run, one after the other."""
    text = "try: a()\nexcept* E: b()\nexcept* F: c()\nd()"
    assert pairs(text) == {"ab", "ac", "ad", "bc", "bd", "cd"}


def test_swallowing() -> None:
    """A `with` goes on behind an exception, unless it is known not to."""
    text = "with a():\n  b()\n  c()\nd()"
    program = Program(text)
    assert not program.graph.dominates(program.call("c"), program.call("d"))
    program = Program(text, swallows=False)
    assert program.graph.dominates(program.call("c"), program.call("d"))


SWALLOWS = {
    "open(a)": False,
    "contextlib.closing(a)": False,
    "contextlib.suppress(a)": True,
    "contextlib.ExitStack()": True,
    "unknown()": True,
    "x": True,
    "made": False,
    "made_twice": True,
}


@pytest.mark.parametrize(("manager", "expected"), SWALLOWS.items())
def test_swallowing_by_itself(manager: str, expected: bool) -> None:
    """Context managers of the standard library are known."""
    lines = "import threading\nmade = threading.Lock()\nmade_twice = threading.Lock()\nif x: made_twice = x\n"
    program = Program(f"{lines}with {manager}:\n  b()\nd()")
    assert program.graph.dominates(program.call("b"), program.call("d")) is not expected


def test_leaving_calls() -> None:
    """A call that never comes back is followed only by handlers."""
    assert pairs("try: a()\nexcept b(): c()\nd()", leaves=True) == {"ab"}


DOMINATES = {
    "one branch": ("if a(): b()\nc()", "ab ac"),
    "both branches": ("if x: a()\nelse: b()\nc()", ""),
    "a try": ("try:\n  a()\n  b()\nexcept E: c()\nd()", "ab"),
    "a try that is left": ("try: a()\nexcept E: return\nb()", "ab"),
    "a finally": ("try: a()\nfinally: b()\nc()", "ac bc"),
    "a loop": ("while a():\n  b()\nc()", "ab ac"),
    "a loop until": ("while True:\n  a()\n  if b(): break\nc()", "ab ac bc"),
    "or": ("a() or b()\nc()", "ab ac"),
    "unreachable": ("return\na()\nb()", "ab ba"),
}


@pytest.mark.parametrize(("text", "expected"), DOMINATES.values(), ids=DOMINATES)
def test_dominates(text: str, expected: str) -> None:
    """A call dominates another when there is no way around it; copies of a finally are seen as one."""
    program = Program(text)
    names = sorted(program.places)
    graph, call = program.graph, program.call
    assert {a + b for a in names for b in names if a != b and graph.dominates(call(a), call(b))} == set(
        expected.split()
    )


LEAVES = {
    "return": True,
    "raise x": True,
    "pass": False,
    "a()": False,
    "sys.exit(1)": True,
    "if x: return\nelse: raise y": True,
    "if x: return": False,
    "while True: pass": True,
    "while True: break": False,
    "try: return\nexcept E: pass": False,
    "try: return a()\nexcept E: pass": False,
    "try: raise x\nexcept: return": True,
    "try: pass\nfinally: return": True,
    "match x:\n  case 1: return\n  case _: raise y": True,
    "match x:\n  case 1: return": False,
    "with open(x): return": True,
    "with x: raise y": False,
    "assert False": True,
    "for i in x: return": False,
}


@pytest.mark.parametrize(("text", "expected"), LEAVES.items(), ids=LEAVES)
def test_always_leaves(text: str, expected: bool) -> None:
    """A statement leaves when no path goes on behind it."""
    program = Program(text + "\nlast()")
    assert program.graph.always_leaves(program.statements[1]) is expected


def test_leaving_by_continue() -> None:
    """`continue` leaves its statement, though the loop comes back to it."""
    program = Program("for i in x:\n  if a():\n    continue\n  b()")
    jump = next(node for node in program.statements if isinstance(node, ast.Continue))
    test = next(node for node in program.statements if isinstance(node, ast.If))
    assert program.graph.always_leaves(jump)
    assert not program.graph.always_leaves(test)


def test_between() -> None:
    """Between two calls lies what is on a path from one to the other."""
    program = Program("a()\nif x: b(c())\nelse: return d()\nfor i in y: e()\ng()\nh()")
    steps = program.graph.between(program.call("a"), program.call("g"))
    done = [step.node.func for step in steps if isinstance(step.node, ast.Call)]
    assert sorted(map(ast.unparse, done)) == ["b", "c", "e"]
    assert program.graph.between(program.call("g"), program.call("a")) == []


def test_places() -> None:
    """A constant is done with what is around it; an annotation that is never evaluated nowhere."""
    program = Program("a(1)\nz: b = 2")
    call = program.call("a")
    assert program.graph.places(call.args[0]) == program.graph.places(call)
    assert program.control.around(call) is program.graph
    assert program.control.around(program.function) is program.control.graph(program.names.tree)


def test_dotted() -> None:
    """A name is called as in the module that it comes from."""
    tree = ast.parse("import a.b, c as d\nfrom e import f as g\nfrom . import h\nd = 1")
    names = Names(ast.Module([*tree.body, *ast.parse("a.b.x, d.x, g.y, h.z, len, 1 .x").body], []))
    elements = names.tree.body[-1]
    assert isinstance(elements, ast.Expr)
    assert isinstance(elements.value, ast.Tuple)
    assert [dotted(names, part) for part in elements.value.elts] == ["a.b.x", "", "e.f.y", "", "len", ""]


def test_deep_programs() -> None:
    """Deep syntax and long files need no recursion."""
    tests = "".join(f"elif x == {number}: a = {number}\n" for number in range(90))
    text = f"import x\nb = {'+'.join(['x'] * 900)}\nif x: pass\n{tests}else: a = 1\n" + "a\n" * 3000
    names = Names(ast.parse(text + "{" + "a: x,\n" * 3000 + "}\n" + "x" + ".y" * 900))
    control = Control(names)
    uses = [node for node in names.of if isinstance(node, ast.Name) and node.id == "a"]
    assert {control.bound(node) for node in uses if isinstance(node.ctx, ast.Load)} == {Bound.MAYBE, Bound.ALWAYS}


def test_linear_size() -> None:
    """A graph grows with its program, through nested finally blocks as well."""

    def size(depth: int) -> int:
        lines = ["def f():"]
        for level in range(depth):
            lines += [" " * (level + 1) + "try:"]
        lines += [" " * (depth + 1) + "if a(): return"]
        for level in reversed(range(depth)):
            lines += [" " * (level + 1) + "finally: b()"]
        names = Names(ast.parse("\n".join(lines)))
        function = next(node for node in names.scopes if isinstance(node, FUNCTIONS))
        return len(Control(names).graph(function).blocks)

    assert size(16) < 2.3 * size(8)
