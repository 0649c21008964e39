"""Control flow: the questions about paths, asked of calls that are named in small programs."""

from __future__ import annotations

import ast
import sys
import textwrap

import pytest

from migrate.python.control import Action, Bound, Control, Graph, Step, dotted, solve
from migrate.python.scopes import FUNCTIONS, Names


class Program:
    """A function body; `a`, `b` ... are the places of its calls `a()`, `b()` ..., `f` the function's graph."""

    def __init__(self, text: str, **questions: bool) -> None:
        body = textwrap.indent(textwrap.dedent(text).strip("\n"), "    ")
        self.names = Names(ast.parse(f"import sys, contextlib\ndef f(x, y):\n{body}"))
        answers = {word: (lambda node, answer=answer: answer) for word, answer in questions.items()}
        self.control = Control(self.names, **answers)
        self.function = self.names.tree.body[1]
        self.graph: Graph = self.control.graph(self.function)
        calls = [node for node in ast.walk(self.names.tree) if isinstance(node, ast.Call)]
        self.places = {ast.unparse(call.func): call for call in calls}
        self.statements = [node for node in ast.walk(self.function) if isinstance(node, ast.stmt)]

    def call(self, name: str) -> ast.Call:
        return self.places[name]


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
