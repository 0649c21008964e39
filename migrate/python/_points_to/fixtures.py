"""pytest's fixtures: parameters of tests that no call in the project fills."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Function, Plain
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.engine import Engine

_BUILTIN = """
    cache capfd capfdbinary caplog capsys capsysbinary doctest_namespace monkeypatch pytestconfig record_property
    record_testsuite_property recwarn request subtests testdir pytester tmp_path tmp_path_factory tmpdir
"""
BUILTIN = frozenset(_BUILTIN.split())  # those that pytest brings along


class Fixtures:
    """What fixtures give, by name, with where they hold: files, and the folders of conftest.py.

    asked: the fixtures that some test or fixture has a parameter for, with their names.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.asked: dict[ast.AST, str] = {}
        self._given: dict[str, list[tuple[Function, frozenset[Path], Slot]]] = {}
        for function in tuple(engine.defined):
            name = _fixture_name(function.node)
            if name is not None:
                frame, given = engine.frame_of(function, None), Slot()
                result = engine.result_of(frame)
                engine.flow(frame.yielded, given)
                if not any(value in engine.generators for value in result.values):
                    engine.await_(result, given)
                self._given.setdefault(name, []).append((function, frozenset(self._places(frame.path)), given))

    def _places(self, path: Path) -> Iterator[Path]:
        """Where the fixtures of a file hold, those who import it among them."""
        done, todo = {path}, [path]
        while todo:
            file = todo.pop()
            yield file.parent if file.name == "conftest.py" else file
            new = self._engine.project.importers[file] - done
            done |= new
            todo += new

    def feeds(self, node: ast.AST) -> bool:
        """Whether a function is a test or a fixture."""
        is_test = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")
        return is_test or _fixture_name(node) is not None

    def fill(self, frame: Frame, argument: ast.arg) -> bool:
        """Fill a parameter of a test or fixture; whether something is known of it."""
        if not self.feeds(frame.node):
            return False
        parameter = self._engine.parameter(frame, argument)
        places, name = {frame.path, *frame.path.parents}, argument.arg
        given = [(function, slot) for function, held, slot in self._given.get(name, ()) if not held.isdisjoint(places)]
        for function, slot in given:
            self.asked[function.node] = name
            self._engine.flow(slot, parameter)
        if argument.arg in BUILTIN:
            self._engine.add(parameter, Plain.OTHER)
        return bool(given) or argument.arg in BUILTIN or self._parametrized(frame, argument, parameter)

    def _parametrized(self, frame: Frame, argument: ast.arg, parameter: Slot) -> bool:
        for decorator in getattr(frame.node, "decorator_list", []):
            if not isinstance(decorator, ast.Call) or not ast.unparse(decorator.func).endswith("mark.parametrize"):
                continue
            words = ast.literal_eval(decorator.args[0]) if isinstance(decorator.args[0], ast.Constant) else ""
            names = words.replace(",", " ").split()
            if argument.arg in names and frame.parent is not None and len(decorator.args) > 1:
                rows = Slot()
                self._engine.iterate(self._engine.slot(frame.parent, decorator.args[1]), rows)
                if len(names) == 1:
                    self._engine.flow(rows, parameter)
                else:
                    self._engine.unpack(rows, names.index(argument.arg), parameter)
                return True
        return False


def _fixture_name(node: ast.AST) -> str | None:
    """The name of a fixture, None for any other function."""
    for decorator in getattr(node, "decorator_list", []):
        if "fixture" in ast.unparse(decorator):
            keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
            names = [keyword.value for keyword in keywords if keyword.arg == "name"]
            return (
                str(names[0].value) if names and isinstance(names[0], ast.Constant) else str(getattr(node, "name", ""))
            )
    return None
