"""Functions of the project: their frames, which argument becomes which parameter, what a call gives."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field, replace

from migrate.python._points_to.domain import Collection, Function, Instance, Knowledge, Plain, Token, Value
from migrate.python._points_to.generic import is_generic
from migrate.python._points_to.heap import IMPLICIT, Contents, Frame, Key, context
from migrate.python._points_to.items import Items
from migrate.python._points_to.slots import Slot
from migrate.python.modules import Project

_YIELDING = (ast.Yield, ast.YieldFrom)

MAX_DEPTH = 3  # helpers that call helpers are told apart this far
MAX_CLOSURES = 128  # calls of one definition, by or of closures, that are told apart: each may lead to one more
MAX_CHAINS = 128  # calls of one definition that are told apart by what leads to the caller, too
MAX_TARGETS = 4  # functions that one call tells apart: those of a table that call each other have ever more callers


@dataclass(eq=False)
class Site:
    """One call: its arguments as slots, a star's with True, and the slot of its result."""

    node: ast.expr
    frame: Frame
    positional: list[tuple[Slot, bool]] = field(default_factory=list)
    keywords: dict[str, Slot] = field(default_factory=dict)
    splats: list[Slot] = field(default_factory=list)
    result: Slot = field(default_factory=Slot)
    place: tuple[int | str, ...] = ()  # for a call that a library makes, apart from the one that is written
    operand: Key | None = None  # of what operator.attrgetter and the like make
    through: tuple[Value, ...] = ()  # the objects and partials whose call has led to this one
    is_outside: bool = False  # called by code that is not known, which was given it at the node, in whatever file

    @property
    def written(self) -> ast.Call | None:
        """The call as it is written in the file of the frame, if its arguments are these."""
        return self.node if isinstance(self.node, ast.Call) and not self.is_outside else None

    def after(self, *first: Slot) -> Site:
        """The same call with more arguments in front."""
        return replace(self, positional=[*((slot, False) for slot in first), *self.positional])

    def slots(self) -> list[Slot]:
        """Every argument."""
        return [*(slot for slot, _ in self.positional), *self.keywords.values(), *self.splats]

    def stars(self) -> list[Slot]:
        """What stands behind stars."""
        return [*(slot for slot, star in self.positional if star), *self.splats]


class Functions(Items):
    """Calls of functions of the project."""

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        super().__init__(project, knowledge)
        self.generators: dict[Collection, Frame] = {}
        self.callers: dict[ast.AST, dict[ast.expr, None]] = {}
        self.defined: dict[Function, None] = {}
        self.called: dict[Function, None] = {}
        self._frames: dict[tuple[Function, ast.AST | None, Frame | None], Frame] = {}
        self._generic: dict[ast.AST, bool] = {}
        self._closures: Counter[ast.AST] = Counter()
        self._chains: Counter[ast.AST] = Counter()
        self._targets: dict[tuple[ast.AST, Frame], set[ast.AST]] = {}
        self._tabled: set[ast.AST] = set()

    # ------------------------------------------------------------------ functions

    def frame_of(self, function: Function, site: Site | None) -> Frame:
        """The frame in which a call analyses a function."""
        node = function.node
        if node not in self._generic:
            self._generic[node] = is_generic(node, self.body)
        parent = function.context
        assert isinstance(parent, Frame)
        key: tuple[Function, ast.AST | None, Frame | None] = (function, None, None)
        if site is not None and self._generic[node]:
            is_one = self._is_one_of_few(node, site)
            apart = (function, site.node, None if node in self._tabled else _caller(site.frame, node))
            if is_one and (apart in self._frames or self._has_room(parent, apart[2], node)):
                key = apart
            elif is_one and context(parent) is None:  # a closure is analysed once
                key = (function, site.node, None)
        if key not in self._frames:
            frame = self._frames[key] = Frame(node, parent.path, parent.names, parent, *key[1:])
            self.frames.setdefault(node, []).append(frame)
            self.later(lambda: self.analyse(frame))
        return self._frames[key]

    def _is_one_of_few(self, node: ast.AST, site: Site) -> bool:
        """Whether a call distinguishes a function: not where it calls any of a table of them."""
        if site.node is IMPLICIT:
            return True
        targets = self._targets.setdefault((site.node, site.frame), set())
        targets.add(node)
        if len(targets) > MAX_TARGETS:
            self._tabled |= targets
        return len(targets) <= MAX_TARGETS

    def _has_room(self, parent: Frame, caller: Frame | None, node: ast.AST) -> bool:
        """Whether one more call is distinguished: the text has so many, and calls may make closures without end."""
        closures = context(parent) is not None or (caller is not None and context(caller.parent) is not None)
        self._closures[node] += closures
        self._chains[node] += caller is not None
        is_short = caller is None or self._chains[node] <= MAX_CHAINS
        return is_short and (not closures or self._closures[node] <= MAX_CLOSURES)

    def parameter(self, frame: Frame, argument: ast.arg) -> Slot:
        """The slot of a parameter."""
        return self.variable(frame, frame.names.of[argument])

    def call_function(self, function: Function, site: Site) -> None:
        frame = self.frame_of(function, site)
        self.called[function] = None
        self.callers.setdefault(function.node, {})[site.node] = None
        self.pass_arguments(frame, site)
        self.flow(self.result_of(frame), site.result)

    def result_of(self, frame: Frame) -> Slot:
        """What calling the function of a frame gives: what it returns, a generator or a coroutine."""
        node = frame.node
        if node in frame.slots:
            return frame.slots[node]
        yields = any(isinstance(inside, _YIELDING) for inside in self.body(node))
        if yields:
            collection, _ = self.make(node, "generator", frame, frame.yielded)
            self.flow(frame.returned, self.field(collection, "return"))
            self.watch(frame.returned, self._end_iteration)
        elif isinstance(node, ast.AsyncFunctionDef):
            collection, _ = self.make(node, "coroutine", frame, frame.returned)
        else:
            return frame.returned
        slot = frame.slots[node] = Slot()
        self.add(slot, collection)
        self.generators[collection] = frame
        return slot

    def _end_iteration(self, value: Value) -> None:
        """Let what a generator returns be the value of a StopIteration."""
        if isinstance(value, Token):
            self.add(self.field(Plain.OTHER, "value"), value)

    def body(self, node: ast.AST) -> list[ast.AST]:
        """Every node of a function's or module's own code, without the functions in it."""
        raise NotImplementedError

    def analyse(self, frame: Frame) -> None:
        """Read the body of a frame."""
        raise NotImplementedError

    # ------------------------------------------------------------------ arguments

    def pass_arguments(self, frame: Frame, site: Site) -> None:
        """Let the arguments of a call flow into the parameters of a frame."""
        node = frame.node
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        arguments = node.args
        places = [*arguments.posonlyargs, *arguments.args]
        sure: set[str] = set()
        stars = [place for place, (_, star) in enumerate(site.positional) if star]
        fixed = [*stars, len(site.positional)][0]
        extra = None if stars else len(site.positional) - len(places)
        for index, (slot, star) in enumerate(site.positional):
            if star:
                self._pass_star(frame, slot, index if index == fixed else fixed, index == fixed, site)
            elif index < fixed and index < len(places):
                self.flow(slot, self.parameter(frame, places[index]))
                sure.add(places[index].arg)
            elif index < fixed:
                self._pass_extra(frame, slot, index - len(places), extra)
            else:
                before = [star for star, is_star in site.positional[fixed:index] if is_star]
                self._pass_behind(frame, slot, fixed, index, before)
        named = {argument.arg: argument for argument in [*arguments.args, *arguments.kwonlyargs]}
        for name, slot in site.keywords.items():
            if name in named:
                self.flow(slot, self.parameter(frame, named[name]))
                sure.add(name)
            elif arguments.kwarg:
                self.flow(slot, self.item(self._rest(frame, arguments.kwarg, "dict"), name))
        for slot in site.splats:  # which cannot give once more what is given
            self._pass_splat(frame, slot, {name: place for name, place in named.items() if name not in sure})
        self._pass_defaults(frame, sure, None if extra is None else max(extra, 0))

    def _rest(self, frame: Frame, argument: ast.arg, kind: str, length: int | None = None) -> Contents:
        """What `*rest` or `**rest` has; tuples of different lengths are apart."""
        collection, contents = self.make(argument, kind, frame, place=() if length is None else (length,))
        contents.length = length
        self.add(self.parameter(frame, argument), collection)
        if kind == "dict":
            self.add(contents.keys, Plain.OTHER)
        return contents

    def _pass_extra(self, frame: Frame, slot: Slot, index: int | None, length: int | None = None) -> None:
        vararg = frame.node.args.vararg  # type: ignore[attr-defined]
        if vararg:
            contents = self._rest(frame, vararg, "tuple", length)
            self.flow(slot, contents.some if index is None else self.item(contents, index))

    def _pass_star(self, frame: Frame, slot: Slot, start: int, exact: bool, site: Site) -> None:
        arguments: ast.arguments = frame.node.args  # type: ignore[attr-defined]
        places = [*arguments.posonlyargs, *arguments.args]

        def spread(value: Value) -> None:
            if isinstance(value, Collection) and isinstance(value.node, ast.arg) and not self._fits(frame, value, site):
                return  # a TypeError
            indexed = isinstance(value, Collection) and value.kind in ("tuple", "list") and exact
            for index, argument in enumerate(places[start:]):
                source = self.at(value, index, self.other) if indexed else self.elements(value)
                self.flow(source, self.parameter(frame, argument))
            if not indexed:
                self._pass_extra(frame, self.elements(value), None)
            elif arguments.vararg:
                contents, skipped = self.contents(value), len(places) - start
                self._pass_extra(frame, contents.some, None)
                self.on_items(
                    contents,
                    lambda key, item: (
                        self._pass_extra(frame, item, key - skipped)
                        if isinstance(key, int) and key >= skipped
                        else None
                    ),
                )

        self.watch(slot, spread)

    def _fits(self, frame: Frame, rest: Collection, site: Site) -> bool:
        """Whether a function takes as many arguments as there are with those of the one `*rest` among them."""
        length = self.contents(rest).length
        if length is None or len(site.stars()) != 1 or site.keywords:
            return True
        return takes(frame.node, len(site.positional) - 1 + length)

    def _pass_behind(self, frame: Frame, slot: Slot, start: int, index: int, stars: list[Slot]) -> None:
        """Pass an argument behind stars, the first of which is at `start`: at its place if their length is known."""
        arguments: ast.arguments = frame.node.args  # type: ignore[attr-defined]
        places = [*arguments.posonlyargs, *arguments.args]

        def shift(value: Value) -> None:
            length = self.contents(value).length if isinstance(value, Collection) and value.kind == "tuple" else None
            if length is None or len(stars) > 1:
                for argument in places[start:]:
                    self.flow(slot, self.parameter(frame, argument))
                self._pass_extra(frame, slot, None)
            elif index + length - 1 < len(places):
                self.flow(slot, self.parameter(frame, places[index + length - 1]))
            else:
                self._pass_extra(frame, slot, index + length - 1 - len(places))

        self.watch(stars[0], shift)

    def _pass_splat(self, frame: Frame, slot: Slot, named: dict[str, ast.arg]) -> None:
        kwarg = frame.node.args.kwarg  # type: ignore[attr-defined]

        def spread(value: Value) -> None:
            known = isinstance(value, Collection | Instance)
            for name, argument in named.items():
                source = self.item(self.contents(value), name) if known else self.elements(value)
                self.flow(source, self.parameter(frame, argument))
            if kwarg and known:
                rest = self._rest(frame, kwarg, "dict")
                self.flow(self.contents(value).some, rest.some)
                self.on_items(
                    self.contents(value),
                    lambda key, item: self.flow(item, self.item(rest, key)) if key not in named else None,
                )
            elif kwarg:
                self.flow(self.elements(value), self._rest(frame, kwarg, "dict").some)

        self.watch(slot, spread)

    def _pass_defaults(self, frame: Frame, sure: set[str], extra: int | None = None) -> None:
        arguments: ast.arguments = frame.node.args  # type: ignore[attr-defined]
        places = [*arguments.posonlyargs, *arguments.args]
        pairs = list(zip(places[len(places) - len(arguments.defaults) :], arguments.defaults, strict=True))
        pairs += [
            (name, default)
            for name, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default
        ]
        for argument, default in pairs:
            if argument.arg not in sure and frame.parent is not None:
                self.flow(self.slot(frame.parent, default), self.parameter(frame, argument))
        if arguments.vararg:
            self._rest(frame, arguments.vararg, "tuple", extra)
        if arguments.kwarg:
            self._rest(frame, arguments.kwarg, "dict")


def takes(node: ast.AST, count: int) -> bool:
    """Whether a function can be called with a number of arguments by position."""
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    arguments = node.args
    most = len(arguments.posonlyargs) + len(arguments.args)
    return most - len(arguments.defaults) <= count and (arguments.vararg is not None or count <= most)


def _caller(frame: Frame | None, callee: ast.AST) -> Frame | None:
    """The frame that distinguishes calls from the same place: that of a function analysed per call, not too deep."""
    while frame is not None and frame.site is None:
        frame = frame.parent
    around = frame
    for _ in range(MAX_DEPTH):
        if around is None:
            return frame
        if around.node is callee:
            return None  # a function that calls itself
        around = around.caller
    return None
