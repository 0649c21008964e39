"""Control flow: what conditions, failed steps and bindings say where a place is reached."""

from __future__ import annotations

import ast
import textwrap

import pytest

from migrate.python.control import Action, Bound, Control, Step, solve
from migrate.python.scopes import Names
from tests.migrate.control_program import Program


def narrowed(text: str) -> dict[str, set[str]]:
    """Return what `x` may be at each call, by a small analysis of None."""
    program = Program(text)

    def transfer(state: frozenset[str], step: Step) -> frozenset[str]:
        parent = program.names.parents[step.node]
        if isinstance(step.node, ast.Name) and step.node.id == "x" and isinstance(parent, ast.Assign):
            return frozenset({"none" if isinstance(parent.value, ast.Constant) else "some"})
        return state

    def narrow(state: frozenset[str], test: ast.expr, truth: bool) -> frozenset[str] | None:
        if isinstance(test, ast.Compare) and ast.unparse(test.comparators[0]) == "None":
            wanted = "none" if truth is isinstance(test.ops[0], ast.Is) else "some"
            return state & {wanted} or None
        if isinstance(test, ast.Name) and test.id == "x" and truth:
            return state & {"some"} or None
        return state

    start = frozenset({"none", "some"})
    solution = solve(program.graph, start, transfer, lambda a, b: a | b, narrow=narrow)
    return {name: set(solution.before(call) or ()) for name, call in program.places.items()}


def test_narrowing() -> None:
    """Conditions narrow, through `not`, `and`, loops, assertions and comprehensions."""
    both, none, some = {"none", "some"}, {"none"}, {"some"}
    assert narrowed("a()\nif x is None: return b()\nc()") == {"a": both, "b": none, "c": some}
    assert narrowed("if not (x is not None and a()): b()\nelse: c()") == {"a": some, "b": both, "c": some}
    assert narrowed("if x is None:\n  x = y\na()") == {"a": some}
    assert narrowed("while x is None:\n  x = b()\n  a()\nc()") == {"b": none, "a": some, "c": some}
    assert narrowed("assert x\na()") == {"a": some}
    assert narrowed("[a() for i in y if x]\nb()") == {"a": some, "b": both}
    assert narrowed("x = None\nif x: a()\nb()") == {"a": set(), "b": none}
    assert narrowed("a() if x else b()") == {"a": some, "b": both}
    assert narrowed("x = None\ntry: x = a()\nfinally: b()\nc()") == {"a": none, "b": both, "c": some}


def test_failed_steps() -> None:
    """What an exception takes along is the state before the step, or what `failed` makes of it."""
    program = Program("try: a()\nexcept E: b()")

    def transfer(state: int, step: Step) -> int:
        return state | 1 if step.node is program.call("a") and step.action is Action.DO else state

    def failed(state: int, step: Step) -> int:
        return transfer(state, step) | 2

    joined = [int.__or__, int.__or__]
    before = solve(program.graph, 0, transfer, joined[0]).before(program.call("b"))
    after = solve(program.graph, 0, transfer, joined[1], failed=failed).before(program.call("b"))
    assert (before, after) == (0, 3)


def bounds(text: str) -> dict[str, str]:
    """Return the answer for each name that is read as `name`, in the order of the text, worst first."""
    names = Names(ast.parse(textwrap.dedent(text)))
    control = Control(names)
    found: dict[str, str] = {}
    for node in names.of:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            answer = control.bound(node).value
            found[node.id] = answer if found.get(node.id, "always") == "always" else found[node.id]
    return {name: answer for name, answer in found.items() if answer != Bound.ALWAYS.value}


BOUNDS = {
    "parameters": ("def f(a, *b, c=1, **d): return a, b, c, d", {}),
    "before and after": ("a\na = 1\na", {"a": "never"}),
    "what was read is bound": ("if x: a = 1\na\ndef f(): pass\na", {"x": "never", "a": "maybe"}),
    "one branch": ("import x\nif x: a = 1\na", {"a": "maybe"}),
    "try": ("try: import a\nexcept ImportError: pass\na", {"a": "maybe"}),
    "try, left": ("try: import a\nexcept ImportError: raise\na", {}),
    "except": ("try: pass\nexcept E as a: a\na", {"E": "never", "a": "never"}),
    "del": ("a = 1\ndel a\na", {"a": "never"}),
    "a loop": ("for a in (1,): pass\na", {"a": "maybe"}),
    "local": ("a = 1\ndef f():\n  a\n  a = 2", {"a": "never"}),
    "a closure": ("def f():\n  def g(): return a, b\n  a = 1\n  g()\n  b = 2", {"b": "maybe"}),
    "a lambda": ("def f():\n  g = lambda: a\n  a = 1", {"a": "maybe"}),
    "in a method": ("class C:\n  def m(self): return C, D, E\nclass D: pass\nif C: E = 1", {"E": "maybe"}),
    "in a class": ("a = 1\nclass C:\n  a = a\n  b\n  b = 1\n  def m(self): return b", {"b": "never"}),
    "builtins": ("try: input = raw\nexcept NameError: pass\ninput\n__name__\n__file__", {"raw": "never"}),
    "a star": ("from a import *\nb", {"b": "maybe"}),
    "global": ("def f():\n  global a\n  a = 1\n  a\na", {"a": "maybe"}),
    "nonlocal": ("def f():\n  a: int\n  def g():\n    nonlocal a\n    a = 1\n    a\n  g()\n  a", {"a": "maybe"}),
    "exit": ("import sys\nif sys: a = 1\nelse: sys.exit()\na", {}),
    "a module that ends": ("import sys\ndef f(): a\na = 1\nsys.exit(f())", {}),
    "class and super": ("class C:\n  def m(self): return __class__, __qualname__\n  __module__", {}),
    "patterns": ("match 1:\n  case [a, *b] | {'x': a, **b}: a, b\n  case c if c: pass\nc", {"c": "maybe"}),
    "annotations": (
        "from __future__ import annotations\ndef f(x: a): y: b = 1\nimport a",
        {"a": "never", "b": "never"},
    ),
    "walrus": ("(a := 1) and (b := 2)\na, b", {"b": "maybe"}),
    "augmented": ("a += 1", {}),
}


@pytest.mark.parametrize(("text", "expected"), BOUNDS.values(), ids=BOUNDS)
def test_bound(text: str, expected: dict[str, str]) -> None:
    """A name is bound always, maybe or never where it is used."""
    assert bounds(text) == expected
