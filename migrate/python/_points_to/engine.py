"""The run of the points-to analysis: all files, then what nothing in the project calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path

from migrate.python._points_to.domain import Class, Descriptor, Function, Given, Instance, Knowledge, Plain, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.slots import Slot
from migrate.python._points_to.statements import READERS, Statements
from migrate.python.modules import Project
from migrate.python.scopes import FUNCTIONS


class Engine(Statements):
    """Solves a project; afterwards every slot has all its values."""

    def __init__(
        self, project: Project, knowledge: Knowledge, unseen: Callable[[ast.arg], Iterable[Given] | None]
    ) -> None:
        super().__init__(project, knowledge)
        self._unseen = unseen
        self.outside: dict[ast.AST, None] = {}  # functions that nothing in the project calls
        self._bodies: dict[ast.AST, list[ast.AST]] = {}
        for path, tree in project.trees.items():
            frame = self.modules[path] = Frame(tree, path, project.names(path))
            self.frames[tree] = [frame]
            self._bodies |= _bodies(tree)
        for frame in tuple(self.modules.values()):
            self.analyse(frame)
        self.solve()
        self._read_uncalled()
        self._create_uncreated()
        self._call_uncalled()

    def body(self, node: ast.AST) -> list[ast.AST]:
        return self._bodies[node]

    def analyse(self, frame: Frame) -> None:
        for node in self.body(frame.node):
            READERS[type(node)](self, frame, node)
        if isinstance(frame.node, ast.Lambda):
            self.flow(self.slot(frame, frame.node.body), frame.returned)
        elif isinstance(frame.node, ast.FunctionDef | ast.AsyncFunctionDef) and _falls_through(frame.node.body):
            self.add(frame.returned, Plain.NONE)

    # ------------------------------------------------------------------ what nothing calls

    def _uncalled(self) -> list[Function]:
        return [function for function in self.defined if function.node not in self.callers]

    def _read_uncalled(self) -> None:
        """Read bodies that no call has reached; they may call each other."""
        done: set[Function] = set()
        while todo := [function for function in self._uncalled() if function not in done]:
            for function in todo:
                done.add(function)
                self.frame_of(function, None)
            self.solve()

    def _create_uncreated(self) -> None:
        """Give the methods of classes that are never called their self."""
        for info in tuple(self.classes.values()):
            if not info.created and not any(self.classes[heir].created for heir in info.heirs):
                for name in sorted(info.bound):
                    for value in tuple(self.field(Class(info.node), name).values):
                        self._give_self(info.node, value)
                self.fill_record(Instance(info.node), Site(ast.Constant(None), info.frame, [(self.unknown, True)]))
        self.solve()
        self._read_uncalled()

    def _give_self(self, node: ast.ClassDef, value: Value) -> None:
        function = value.function if isinstance(value, Descriptor) else value
        if isinstance(function, Function) and not (isinstance(value, Descriptor) and value.kind == "staticmethod"):
            arguments = [*function.node.args.posonlyargs, *function.node.args.args]
            if arguments:
                on_class = isinstance(value, Descriptor) and value.kind == "classmethod"
                frame = self.frame_of(function, None)
                self.add(self.parameter(frame, arguments[0]), Class(node) if on_class else Instance(node))

    def _call_uncalled(self) -> None:
        """Let what is never called be called from outside, with arguments that nobody knows."""
        methods = self._methods()
        fixtures = self._fixtures()
        while todo := [function for function in self._uncalled() if function.node not in self.outside]:
            for function in todo:
                self.outside[function.node] = None
                self._call_from_outside(function, methods.get(function.node), fixtures)
            self.solve()

    def _methods(self) -> dict[ast.AST, tuple[ast.ClassDef, Value]]:
        found: dict[ast.AST, tuple[ast.ClassDef, Value]] = {}
        for info in self.classes.values():
            for name in sorted(info.bound):
                for value in self.field(Class(info.node), name).values:
                    function = value.function if isinstance(value, Descriptor) else value
                    if isinstance(function, Function):
                        found.setdefault(function.node, (info.node, value))
        return found

    def _call_from_outside(
        self,
        function: Function,
        method: tuple[ast.ClassDef, Value] | None,
        fixtures: dict[str, list[tuple[Path, Slot]]],
    ) -> None:
        frame, arguments = self.frame_of(function, None), function.node.args
        every = [*arguments.posonlyargs, *arguments.args]
        start = 0
        if method is not None:
            node, value = method
            self._give_self(node, value)
            info = self.classes[node]
            for heir in info.heirs:
                self._give_self(heir, value)
            start = 0 if isinstance(value, Descriptor) and value.kind == "staticmethod" else 1
        rest = [*every[start:], *arguments.kwonlyargs]
        for argument in rest:
            slots = [
                slot
                for folder, slot in fixtures.get(argument.arg, ())
                if folder in frame.path.parents or folder == frame.path
            ]
            if slots and _takes_fixtures(function.node):
                for slot in slots:
                    self.flow(slot, self.parameter(frame, argument))
            elif _takes_fixtures(function.node):
                self.add(self.parameter(frame, argument), Plain.OTHER)
            else:
                given = self._unseen(argument)
                self.give(self.parameter(frame, argument), (Plain.UNKNOWN,) if given is None else given, argument)
        outside = Site(ast.Constant(None), frame, [(self.unknown, True)], splats=[self.unknown])
        if arguments.vararg:
            self._pass_extra(frame, self.unknown, None)
        if arguments.kwarg:
            self._pass_splat(frame, outside.splats[0], {})
        self._pass_defaults(frame, set())

    def _fixtures(self) -> dict[str, list[tuple[Path, Slot]]]:
        """What pytest's fixtures give, by name, with where they hold: a file, or the folder of a conftest.py."""
        found: dict[str, list[tuple[Path, Slot]]] = {}
        for function in self.defined:
            node = function.node
            if not isinstance(node, ast.Lambda) and any("fixture" in ast.unparse(each) for each in node.decorator_list):
                frame, given = self.frame_of(function, None), Slot()
                result = self.result_of(frame)
                self.flow(frame.yielded if frame.node in frame.slots else result, given)
                self.await_(result, given)
                place = frame.path.parent if frame.path.name == "conftest.py" else frame.path
                found.setdefault(_fixture_name(node), []).append((place, given))
        return found


def _fixture_name(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    for decorator in node.decorator_list:
        for keyword in decorator.keywords if isinstance(decorator, ast.Call) else []:
            if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return node.name


def _takes_fixtures(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return node.name.startswith("test") or any("fixture" in ast.unparse(each) for each in node.decorator_list)


def _bodies(tree: ast.Module) -> dict[ast.AST, list[ast.AST]]:
    """Sort the nodes that have a reader by the function or module whose code they are."""
    bodies: dict[ast.AST, list[ast.AST]] = {tree: []}
    todo: list[tuple[ast.AST, list[ast.AST]]] = [(tree, bodies[tree])]
    while todo:
        node, body = todo.pop()
        kind = type(node)
        if kind in READERS:
            body.append(node)
        inside = body
        if isinstance(node, FUNCTIONS):
            inside = bodies[node] = []
        for name in _FIELDS.get(kind) or _fields(kind):
            value = getattr(node, name, None)
            where = inside if name == "body" else body
            if isinstance(value, list):
                todo += [(item, where) for item in reversed(value) if type(item) not in _LEAVES]
            elif isinstance(value, ast.AST) and type(value) not in _LEAVES:
                todo.append((value, where))
    return bodies


_LEAVES = {ast.Name, ast.Constant, ast.alias, str, type(None), ast.arg, ast.Pass, ast.Break, ast.Continue, ast.Global}
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that hold code; annotations do not."""
    plain = {"ctx", "op", "ops", "annotation", "returns", "type_params", "type_comment", "names"}
    _FIELDS[kind] = tuple(name for name in reversed(kind._fields) if name not in plain)
    return _FIELDS[kind]


def _falls_through(body: list[ast.stmt]) -> bool:
    """Whether control may reach the end of a block, as far as its last statement shows."""
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return False
    if isinstance(last, ast.If):
        return not last.orelse or _falls_through(last.body) or _falls_through(last.orelse)
    if isinstance(last, ast.With | ast.AsyncWith):
        return _falls_through(last.body)
    if isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and last.test.value:
        return any(isinstance(node, ast.Break) for node in ast.walk(last))
    if isinstance(last, ast.Try):
        if last.finalbody and not _falls_through(last.finalbody):
            return False
        ends = [last.orelse or last.body, *(handler.body for handler in last.handlers)]
        return any(_falls_through(block) for block in ends)
    if isinstance(last, ast.Match):
        total = any(
            isinstance(case.pattern, ast.MatchAs) and not case.pattern.pattern and not case.guard for case in last.cases
        )
        return not total or any(_falls_through(case.body) for case in last.cases)
    return True
