"""What reads the results of a run of checked calls: once joined, it stores no codes, and nothing for a failed call."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property

from migrate.python.scopes import Kind, Variable
from migrate.rules.idioms._checked import Pair, Step
from migrate.rules.idioms._site import Site
from migrate.rules.idioms._walk import Region


class Reading:
    """Answers about one run."""

    def __init__(self, site: Site, steps: Sequence[Step], pairs: Sequence[Pair]) -> None:
        self._site, self._steps, self._pairs = site, steps, pairs
        self._first = pairs[0].statement
        path = site.facts.values.path(self._first)
        self._names = site.facts.names[path]
        self._is_imported = bool(site.facts.project.importers[path])
        self._function = site.aftermath.function(self._first)
        self._code = self._names.of[steps[0].code]
        self._leaving = [pair.check.body[0] for pair in pairs]

    @property
    def is_possible(self) -> bool:
        """Whether no reader would notice."""
        if self._is_imported and self._function is self._names.tree:
            return False
        results = [self._names.of[name] for step in self._steps for name in step.targets]
        unused = [self._names.of[name] for step in self._steps for name in step.unused]
        return (
            self._is_own(self._code)
            and not self._read_on_leaving(self._code)
            and all(map(self._is_success, self.successes))
            and not any(map(self._read_on_leaving, results))
            and not any(variable.loads or variable.scope.kind is Kind.CLASS for variable in unused)
        )

    def _is_own(self, variable: Variable) -> bool:
        """Whether a variable is of the run's own function alone."""
        nodes = [*variable.loads, *variable.bindings, *variable.deletions]
        plain = not any(isinstance(self._names.parents[node], ast.AugAssign) for node in variable.bindings)
        return plain and all(self._site.aftermath.function(node) is self._function for node in nodes)

    def _read_on_leaving(self, variable: Variable) -> bool:
        """Whether a variable is read once a call has failed, elsewhere than in the checks themselves."""
        readers = {*variable.loads, *variable.deletions}
        if variable is self._code:
            readers -= self._checked
        if self._is_own(variable):
            after = self._site.aftermath.near(self._first, self._leaving, variable.bindings)
            return any(node in after for node in readers)
        region = self._far
        return region is None or any(node in region for node in readers)

    @cached_property
    def _checked(self) -> frozenset[ast.AST]:
        """What stands in the tests and bodies of the checks, and in loops that wait."""
        whole = [*(pair.check for pair in self._pairs), *(pair.statement for pair in self._pairs)]
        left_out = {argument for step in self._steps for argument in step.call.arguments.values()}
        arguments = {node for argument in left_out for node in ast.walk(argument)}
        return frozenset(node for statement in whole for node in ast.walk(statement)) - arguments

    @cached_property
    def _far(self) -> Region | None:
        return self._site.aftermath.region(self._first, leaving=self._leaving)

    @cached_property
    def successes(self) -> list[ast.Name]:
        """The places behind the run that read the code which it has stored last."""
        stores = (node for node in self._code.bindings if isinstance(node, ast.Name))
        behind = self._site.aftermath.behind(self._pairs[-1].check, stores)
        loads = [load for load in self._code.loads if isinstance(load, ast.Name) and load in behind]
        return [load for load in loads if load not in self._checked]

    def _is_success(self, load: ast.Name) -> bool:
        """Whether a code that is read behind the run is certainly the run's."""
        last = self._pairs[-1].check
        graph = self._site.aftermath.graph(last)
        between = {step.node for step in graph.between(last, load)}
        return graph.dominates(last, load) and between.isdisjoint(self._code.bindings)
