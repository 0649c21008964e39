"""What may run once a statement has failed: handlers, finally clauses, what follows these, and the callers'."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial

from migrate.old_api.calls import Call
from migrate.python.control import Point
from migrate.python.values import Class
from migrate.rules.idioms._runs import Runs
from migrate.rules.idioms._walk import Region, Walk


class Aftermath(Runs):
    """Answers about what may run, and about the handles that are left there."""

    def region(
        self, statement: ast.stmt, origins: frozenset[Hashable] = frozenset(), leaving: Iterable[ast.stmt] = ()
    ) -> Region | None:
        """Return what may be evaluated after an exception has left a statement, and from others on.

        Each path ends where the handles of the origins, in which the statement failed, are made anew, as far as nothing
        else holds the old ones. None when it cannot be seen who would catch the exception.
        """
        origin = next(iter(origins), None)
        is_lost = len(origins) == 1 and isinstance(origin, ast.Call) and self._is_lost(origin, statement)
        stops = self._renewals(origin) if is_lost else frozenset[ast.AST]()
        starts = self._starts(statement, leaving)
        return Walk(self, stops).after(self.function(statement), self.graph(statement), starts)

    def near(self, statement: ast.stmt, leaving: Iterable[ast.stmt], stops: Iterable[ast.AST]) -> Region:
        """Return the same, but only what stands in the function of the statement, up to some nodes on each path."""
        return Walk(self, frozenset(stops)).near(self.graph(statement), self._starts(statement, leaving))

    def behind(self, statement: ast.stmt, stops: Iterable[ast.AST]) -> Region:
        """Return what may be evaluated behind a statement in its function, up to some nodes on each path."""
        graph = self.graph(statement)
        return Walk(self, frozenset(stops)).near(graph, graph.endings[statement])

    def _starts(self, statement: ast.stmt, leaving: Iterable[ast.stmt]) -> list[Point]:
        graph = self.graph(statement)
        handlers = [(graph.blocks[block].handler, 0) for block, _ in graph.places(statement)]
        return [*handlers, *(point for other in leaving for point in graph.places(other))]

    # ------------------------------------------------------------------ handles

    def is_used(self, region: Region, origins: frozenset[Hashable], kind: str) -> bool:
        """Whether something there reads a kind of handles of some origins, or what holds such."""
        if (origins, kind) not in self._using:
            readers = [self._readers.get((origin, kind), ()) for origin in origins]
            self._using[origins, kind] = tuple(dict.fromkeys(node for nodes in readers for node in nodes))
        return any(node in region for node in self._using[origins, kind])

    @cached_property
    def _using(self) -> dict[tuple[frozenset[Hashable], str], Sequence[ast.expr]]:
        return {}

    @cached_property
    def _readers(self) -> Mapping[tuple[Hashable, str], list[ast.expr]]:
        """What reads handles, or holds them, by origin and kind."""
        readers: dict[tuple[Hashable, str], list[ast.expr]] = {}
        nodes = (node for names in self._facts.names.values() for node in names.parents)
        for node in nodes:
            if isinstance(node, ast.expr) and not _is_target(node) and (kinds := self._facts.kinds(node)):
                for origin in self._facts.handles(node):
                    for kind in {kind.removesuffix("[]") for kind in kinds}:
                        readers.setdefault((origin, kind), []).append(node)
        return readers

    def is_called(self, region: Region, origins: frozenset[Hashable], besides: frozenset[str]) -> bool:
        """Whether an old call there is on a handle of some origins, besides calls of some C names."""
        if (origins, besides) not in self._calling:
            calls = (call for origin in origins for call in self._calls.get(origin, ()))
            nodes = (call.node for call in calls if call.function not in besides)
            self._calling[origins, besides] = tuple(dict.fromkeys(nodes))
        return any(node in region for node in self._calling[origins, besides])

    @cached_property
    def _calling(self) -> dict[tuple[frozenset[Hashable], frozenset[str]], Sequence[ast.expr]]:
        return {}

    @cached_property
    def _calls(self) -> Mapping[Hashable, list[Call]]:
        calls: dict[Hashable, list[Call]] = {}
        for call in self._facts.calls.values():
            for origin in self._facts.handles(call.receiver) if call.receiver is not None else ():
                calls.setdefault(origin, []).append(call)
        return calls

    def _is_lost(self, origin: ast.Call, statement: ast.stmt) -> bool:
        """Whether the variables of one run of a function are all that holds what was made there, up to a statement.

        So do the attributes of an object that the function was making.
        """
        function, names = self.function(origin), self._facts.names[self._facts.values.path(origin)]
        if function is not self.function(statement):
            return False
        steps = [step.node for step in self.graph(origin).between(origin, statement)]
        held = [node for node in steps if isinstance(node, ast.expr) and origin in self._facts.handles(node)]
        stores = [node for node in [*held, *steps] if _is_target(node) and not isinstance(node, ast.Tuple)]
        variables = [names.of[node] for node in stores if isinstance(node, ast.Name)]
        fields = [node for node in stores if not isinstance(node, ast.Name)]
        uses = [use for variable in variables for use in variable.loads]
        return (
            all(map(self._is_passed, held))
            and all(self.function(use) is function for use in uses)
            and (not fields or self._is_unfinished(function, fields))
        )

    def _is_unfinished(self, function: ast.AST, fields: Iterable[ast.AST]) -> bool:
        """Whether fields are of the object that a constructor makes, and nothing else has it while that runs."""
        if not isinstance(function, ast.FunctionDef) or function.name != "__init__" or function not in self._sites:
            return False
        own = self._facts.names[self._facts.values.path(function)].of[function.args.args[0]]
        roots = [field.value for field in fields if isinstance(field, ast.Attribute)]
        calls = [site for site in self._sites[function] if isinstance(site, ast.Call)]
        classes = [value for call in calls for value in self._facts.values.of(call.func)]
        return (
            len(roots) == len(list(fields))
            and all(root in own.loads for root in roots)
            and all(isinstance(value, Class) for value in classes)
            and all(self.function(load) is function and self._is_kept(load) for load in own.loads)
        )

    def _is_kept(self, load: ast.AST) -> bool:
        """Whether an object is only asked for an attribute, which is not a method that could pass it on."""
        above = self._facts.parent(load)
        around = self._facts.parent(above)
        return isinstance(above, ast.Attribute) and not (isinstance(around, ast.Call) and around.func is above)

    def _is_passed(self, node: ast.expr) -> bool:
        """Whether a handle is stored in a variable, or given to an old call, or comes from one."""
        above = self._facts.parent(node)
        is_method = isinstance(above, ast.Attribute) and self._facts.parent(above) in self._facts.calls
        return _is_target(node) or is_method or above in self._facts.calls or node in self._facts.calls

    def _renewals(self, origin: Hashable) -> frozenset[ast.AST]:
        """Return the call that makes a handle, and what runs functions that always come by it before they go on."""
        assert isinstance(origin, ast.AST)
        found: frozenset[ast.AST] = frozenset({origin})
        todo: list[ast.AST] = [origin]
        while todo:
            node = todo.pop()
            function = self.function(node)
            stays = self.stays(function)
            if function in self._sites and self.is_certain(node) and all(map(partial(self._precedes, node), stays)):
                fresh = [site for site in self._sites[function] if self._run_at(site) == [function]]
                todo += fresh
                found |= frozenset(fresh)
        return found

    def _precedes(self, node: ast.AST, other: ast.AST) -> bool:
        return self.graph(node).dominates(node, other)

    def _run_at(self, site: ast.AST) -> list[ast.AST]:
        return self._callees.get(site) or list(self.functions(self._entered.get(site, 0)))


def _is_target(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)
