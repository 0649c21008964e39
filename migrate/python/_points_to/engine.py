"""The run of the points-to analysis: all files, then what nothing in the project calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from migrate.python._points_to import (  # noqa: F401  # fill the table
    library_argparse,
    library_calls,
    library_dispatch,
    library_functions,
    library_methods,
    library_objects,
    library_texts,
    library_watching,
)
from migrate.python._points_to.bodies import bodies, falls_through
from migrate.python._points_to.classes import OBJECT
from migrate.python._points_to.domain import (
    Bound,
    Class,
    Descriptor,
    External,
    Function,
    Given,
    Instance,
    Knowledge,
    Plain,
    Token,
    Value,
)
from migrate.python._points_to.fixtures import Fixtures
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import IMPLICIT, Frame
from migrate.python._points_to.patterns import READERS, Patterns
from migrate.python.modules import Project
from migrate.python.scopes import Variable

MOST, MOST_PER_NODE = 50_000_000, 100  # steps: some seconds, and more than any program needs that can be followed
MANY = 8  # arguments that nobody knows, for functions that take any number
STRUCTURE = frozenset({ast.Import, ast.ImportFrom, ast.ClassDef, ast.Attribute})
REST = frozenset(READERS.keys() - STRUCTURE)

# What a class of the standard library calls of its heirs, where that is known.
_HOOKS = dict.fromkeys(("threading.Thread", "multiprocessing.Process", "multiprocessing.context.Process"), ("run",))


class Engine(Patterns):
    """Solves a project; afterwards every slot has all its values."""

    def __init__(
        self,
        project: Project,
        knowledge: Knowledge,
        unseen: Callable[[ast.arg], Iterable[Given] | None],
        annotated: frozenset[ast.arg],
        seen: Mapping[Variable, Sequence[Value]],
    ) -> None:
        super().__init__(project, knowledge)
        self.seen = seen
        self._unseen, self._annotated = unseen, annotated
        self.outside: dict[ast.AST, None] = {}  # functions that nothing in the project calls
        self.fixtures: dict[ast.AST, str] = {}  # those that tests have parameters for, with their names
        self._bodies: dict[ast.AST, list[ast.AST]] = {}
        for path, tree in project.trees.items():
            frame = self.modules[path] = Frame(tree, path, project.names(path))
            self.frames[tree] = [frame]
            self._bodies |= bodies(tree, READERS.keys())
        self.most = MOST + MOST_PER_NODE * sum(map(len, self._bodies.values()))
        for kinds in (STRUCTURE, REST):  # bases are known before there are instances
            for frame in tuple(self.modules.values()):
                self._read(frame, kinds)
            self.solve()
        self._read_uncalled()
        self._create_uncreated()
        self._call_uncalled()
        self._fill_annotated()

    def body(self, node: ast.AST) -> list[ast.AST]:
        return self._bodies[node]

    def _read(self, frame: Frame, kinds: Set[type[ast.AST]]) -> None:
        for node in self.body(frame.node):
            if type(node) in kinds:
                READERS[type(node)](self, frame, node)

    def analyse(self, frame: Frame) -> None:
        self._read(frame, STRUCTURE)
        self._read(frame, REST)
        if isinstance(frame.node, ast.Lambda):
            self.flow(self.slot(frame, frame.node.body), frame.returned)
        elif isinstance(frame.node, ast.FunctionDef | ast.AsyncFunctionDef) and falls_through(frame.node.body):
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
        """Give the methods of classes that are never called, inherited ones too, their self."""
        for info in tuple(self.classes.values()):
            if not any(self.classes[heir].created for heir in self.family(info.node)):
                for base in self.order(info.node):
                    bound = self.classes[base.node].bound if isinstance(base, Class) else ()
                    for name in sorted(bound):
                        for value in tuple(self.field(base, name).values):
                            self._give_self(info.node, value)
                self.fill_record(Instance(info.node), Site(IMPLICIT, info.frame, [(self.unknown, True)]))
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
        """Let what is never called be called from outside, with unknown arguments."""
        methods = self._methods()
        fixtures = Fixtures(self)
        self.fixtures = fixtures.asked
        self._call_hidden()
        while todo := [function for function in self._uncalled() if function.node not in self.outside]:
            # What fixtures and tests are given may call others; so may what other libraries call on their heirs.
            first = [function for function in todo if fixtures.feeds(function.node)]
            first = first or [function for function in todo if self._is_hook(function, methods.get(function.node))]
            for function in first or todo:
                self.outside[function.node] = None
                self._call_from_outside(function, methods.get(function.node), fixtures)
            self.solve()

    def _fill_annotated(self) -> None:
        """Let unknown callers fill what is annotated, where those in the project pass other things: fakes."""
        called = [function.node for function in self.defined if function.node not in self.outside]
        for node in called if self._annotated else ():
            parts: ast.arguments = node.args
            for argument in filter(self._annotated.__contains__, [*parts.posonlyargs, *parts.args, *parts.kwonlyargs]):
                slots = [self.parameter(frame, argument) for frame in self.frames.get(node, ())]
                values = {value for slot in slots for value in slot.values}
                if values and Plain.UNKNOWN not in values and not any(isinstance(value, Token) for value in values):
                    for slot in slots:
                        self.give(slot, self._unseen(argument) or (), argument)
                    self.solve()

    def _methods(self) -> dict[ast.AST, tuple[ast.ClassDef, Value]]:
        found: dict[ast.AST, tuple[ast.ClassDef, Value]] = {}
        for info in self.classes.values():
            for name in sorted(info.bound):
                for value in self.field(Class(info.node), name).values:
                    function = value.function if isinstance(value, Descriptor) else value
                    if isinstance(function, Function):
                        found.setdefault(function.node, (info.node, value))
                    for accessor in self._accessors(value):
                        found.setdefault(accessor.node, (info.node, accessor))
        return found

    def _is_hook(self, function: Function, method: tuple[ast.ClassDef, Value] | None) -> bool:
        """Whether a method is of a class that extends one outside of the project, which may call it."""
        bases = self.order(method[0]) if method is not None else ()
        name = getattr(function.node, "name", "")
        return any(isinstance(base, External) and base != OBJECT and name in _HOOKS.get(base.name, (name,))
                   for base in bases)  # fmt: skip

    def _accessors(self, value: Value) -> list[Function]:
        """What sets and deletes a property."""
        names = ("property.setter", "property.deleter") if isinstance(value, Descriptor) else ()
        slots = [self.field(value, name) for name in names]
        return [function for slot in slots for function in slot.values if isinstance(function, Function)]

    def _owners(self, node: ast.ClassDef) -> list[ast.ClassDef]:
        """The classes whose instances a method of a class gets from outside."""
        return [heir for heir in self.family(node) if self.classes[heir].created] or [node]

    def _call_hidden(self) -> None:
        """Call what decorators of the project made of methods that nothing calls, on their objects."""
        unknown = [(self.unknown, False)] * MANY
        for info in tuple(self.classes.values()):
            for node in info.node.body:
                name = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else ""
                for value in tuple(self.field(Class(info.node), name).values) if name else ():
                    if isinstance(value, Function) and value.node is not node and value not in self.called:
                        self.outside[node] = None
                        for owner in self._owners(info.node):
                            site = Site(IMPLICIT, info.frame, unknown)
                            self.call_value(Bound(value, (Instance(owner),)), site)
        self.solve()

    def _call_from_outside(
        self, function: Function, method: tuple[ast.ClassDef, Value] | None, fixtures: Fixtures
    ) -> None:
        frame, arguments = self.frame_of(function, None), function.node.args
        start = 0
        if method is not None:
            node, value = method
            for owner in self._owners(node):
                self._give_self(owner, value)
            start = 0 if isinstance(value, Descriptor) and value.kind == "staticmethod" else 1
        for argument in [*arguments.posonlyargs, *arguments.args][start:] + arguments.kwonlyargs:
            if not fixtures.fill(frame, argument):
                given = self._unseen(argument)
                self.give(self.parameter(frame, argument), (Plain.UNKNOWN,) if given is None else given, argument)
        if arguments.vararg:
            self._pass_extra(frame, self.unknown, None)
        if arguments.kwarg:
            self._pass_splat(frame, self.unknown, {})
        self._pass_defaults(frame, set())
