"""What the analysis knows of marked expressions, where values leave the project, and that its work is linear."""

from __future__ import annotations

import ast
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from migrate.python.modules import Project
from migrate.python.values import Bound, Class, Function, Instance, Plain, Token, Value, Values
from tests.migrate.values_knowledge import Library


def _cases() -> dict[str, dict[Path, str]]:
    text = (Path(__file__).parent / "data" / "values.txt").read_text()
    cases: dict[str, dict[Path, str]] = {}
    for section in text.split("\n== ")[1:]:
        name, _, body = section.partition("\n")
        parts = body.split("--- ")
        files = {"app.py": parts[0]} if parts[0].strip() else {}
        files |= {path: source for path, _, source in (part.partition("\n") for part in parts[1:])}
        cases[name] = {Path(path): f"import library\n{source}" for path, source in files.items()}
    return cases


CASES = _cases()


def analyse(sources: dict[Path, str]) -> tuple[Values, list[ast.Call]]:
    """The values of a project, and its calls of `probe`."""
    trees = {path: ast.parse(source) for path, source in sources.items()}
    calls = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    probes = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "probe"]
    return Values(Project(trees), Library()), probes


def name(value: Value) -> str:
    """A short name of a value, as the programs have it."""
    if isinstance(value, Token):
        key = str(value.key)
        return key if key.startswith(("Reset", "Again")) else key.replace("()", "")
    if isinstance(value, Bound):
        return name(value.function)
    if isinstance(value, Plain):
        return value.name
    return value.node.name if isinstance(value, Class | Instance) else type(value).__name__


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    values, probes = analyse(CASES[case])
    assert probes
    for probe in probes:
        line = CASES[case][values.path(probe)].splitlines()[probe.lineno - 1]
        known = {name(value) for value in values.of(probe.args[0])}
        assert known == set(line.partition("#")[2].split()), line


def one(source: str) -> tuple[Values, ast.Module]:
    path = Path("app.py")
    tree = ast.parse(f"import library\n{source}")
    return Values(Project({path: tree}), Library()), tree


def node(tree: ast.Module, text: str) -> ast.expr:
    """The first expression with this text."""
    return next(part for part in ast.walk(tree) if isinstance(part, ast.expr) and ast.unparse(part) == text)


def test_targets_have_what_is_stored_there() -> None:
    stores = "class C: pass\nc = C()\nc.ep = library.A()\nd = {}\nd[0] = library.D()\n"
    values, tree = one(f"{stores}def f(x): pass\nf(library.B())\n")
    assert values.of_target(node(tree, "c.ep")) == {Token("A()")}
    assert values.of_target(node(tree, "d[0]")) == {Token("D()")}
    function = next(part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef))
    assert values.of_target(function.args.args[0]) == {Token("B()")}
    assert {type(value) for value in values.of_target(function)} == {Function}
    assert values.fields == {(tree.body[1], "ep"): frozenset({Token("A()")})}


def test_cells_have_what_is_stored_in_them() -> None:
    text = "import library\ncell = [None]\nprobe(library.store((library.A, library.B), cell), cell[0])\n"
    values, (probe,) = analyse({Path("app.py"): text})
    assert [values.of(argument) for argument in probe.args] == [{Token("A")}, {Plain.NONE, Token("B")}]


def test_uses_are_all_expressions_that_can_have_a_token() -> None:
    values, _ = one("ep = library.A()\ndef f(x): return x\ny = f(ep)\n")
    assert [ast.unparse(use) for use in values.uses(Token("A()"))] == [
        "ep", "library.A()", "x", "y", "f(ep)", "ep",
    ]  # fmt: skip


def test_sinks_are_where_tokens_leave_the_project() -> None:
    values, _ = one("import other\nep = library.A()\nother.use(ep)\nother.use([ep], x=1)\nprint(ep, len([ep]))\n")
    assert [ast.unparse(sink) for sink in values.sinks[Token("A()")]] == ["other.use(ep)", "other.use([ep], x=1)"]


def test_objects_that_leave_take_their_fields_along_apart_from_direct_sinks() -> None:
    values, _ = one("import other\nclass C:\n    def __init__(self): self.ep = library.A()\nother.use(C())\n")
    assert not values.sinks
    assert list(values.deep_sinks) == [Token("A()")]


def test_pickled_and_compared_by_dictionary_is_a_sink() -> None:
    values, _ = one("import pickle\nep = library.A()\npickle.dumps(ep)\nvars(ep)\n")
    assert len(values.sinks[Token("A()")]) == 2


def test_a_store_to_an_unknown_object_is_a_sink() -> None:
    values, _ = one("def f(x): x.ep = library.A()\n")
    assert [ast.unparse(sink) for sink in values.sinks[Token("A()")]] == ["x.ep"]


def test_attributes_that_the_knowledge_does_not_have() -> None:
    values, tree = one("ep = library.A()\nep.old_send()\nep.strange\nep.mine = 1\ngetattr(ep, 'odd')\n")
    assert [values.of(node(tree, text)) for text in ("ep.strange", "getattr(ep, 'odd')")] == [{Plain.UNKNOWN}] * 2
    assert values.of(node(tree, "ep.old_send")) == {Bound(Token("A().old_send"), (Token("A()"),))}


def test_calls_of_methods_have_their_object_as_first_argument() -> None:
    library = Library()
    tree = ast.parse("import library\nargs = (1, library.P())\nlibrary.A().old_send(*args, flags=0)\n")
    Values(Project({Path("app.py"): tree}), library)
    key, arguments = library.calls[-1]
    assert key == "A().old_send"
    assert arguments.positional == [{Token("A()")}, {Plain.OTHER}, {Token("P()")}]
    assert arguments.keywords == {"flags": {Plain.OTHER}}
    assert not arguments.starred


def test_callers_and_functions_that_nobody_calls() -> None:
    values, tree = one("def f(): g()\ndef g(): pass\ng()\n")
    f, g = (part for part in tree.body if isinstance(part, ast.FunctionDef))
    assert [call.lineno for call in values.callers(g)] == [4, 2]
    assert not values.callers(f)
    assert values.is_called_from_outside(f)
    assert not values.is_called_from_outside(g)


def test_what_another_library_calls_on_its_heirs_calls_others() -> None:
    text = "import queue, threading\ntodo = queue.Queue()\nclass Pump(threading.Thread):\n"
    text += "    def run(self):\n        todo.get()()\ndef f(): pass\ndef g(): todo.put(f)\n"
    values, tree = one(text + "g()\n")
    f, run = (part for part in ast.walk(tree) if isinstance(part, ast.FunctionDef) and part.name in ("run", "f"))
    assert values.is_called_from_outside(run)
    assert not values.is_called_from_outside(f)


def _links(count: int) -> str:
    return "\n".join(
        f"class Link{index}:\n    def __init__(self, ep): self.ep = ep\n    def send(self, data):\n"
        f"        return check(self.ep.old_send(data))\n"
        f"def run{index}():\n    link = Link{index}(library.A())\n    table[{index}] = link\n"
        f"    return link.send(b'x')\n"
        for index in range(count)
    )


def test_the_work_grows_as_the_program_does() -> None:
    start = "table = {}\ndef check(value):\n    return value\n"
    small, large = (one(start + _links(count))[0].steps for count in (50, 400))
    assert large < small * 8 * 1.3


def test_deep_expressions_end_no_run() -> None:
    values, tree = one(f"x = {'+'.join(['a'] * 600)}\ny = {'f(' * 80}library.A(){')' * 80}\ndef f(x): return x\n")
    assign = tree.body[2]
    assert isinstance(assign, ast.Assign)
    assert Token("A()") in values.of_target(assign.targets[0])


def test_classes_to_catch_in_a_tuple_that_may_hold_itself_end_no_run() -> None:
    widened = "def widened(kinds): return (kinds, library.Again)\nKINDS = ()\nfor _ in '12': KINDS = widened(KINDS)\n"
    caught = "import sys\ntry: pass\nexcept KINDS as error: x = error, sys.exc_info()[1]\n"
    values, tree = one(widened + caught)
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "error"]
    assert Token("Again()") in values.of(uses[0])


@pytest.mark.parametrize("module", ["fractions.py", "shutil.py", "pydoc.py", "ipaddress.py", "xml/dom/minidom.py"])
def test_programs_that_loop_over_their_own_values_end(module: str) -> None:
    path = Path(sysconfig.get_path("stdlib")) / module
    tree = ast.parse(path.read_bytes())
    steps = Values(Project({path: tree}), Library()).steps
    assert steps < 40 * sum(1 for _ in ast.walk(tree))


def test_answers_do_not_depend_on_hashes() -> None:
    program = (
        "import ast, sys\nfrom pathlib import Path\nfrom migrate.python.modules import Project\n"
        "from migrate.python.values import Token, Values\nfrom tests.migrate.values_knowledge import Library\n"
        "from tests.migrate.test_values import CASES\n"
        "for case, files in CASES.items():\n"
        "    values = Values(Project({path: ast.parse(text) for path, text in files.items()}), Library())\n"
        "    for token in sorted(values._uses, key=str):\n"
        "        print(case, token, [(use.lineno, use.col_offset) for use in values.uses(token)])\n"
        "    print(values.steps)\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True, check=True, timeout=120,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(outputs) == 1
