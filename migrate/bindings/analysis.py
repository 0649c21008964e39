"""What is known of a project's files that call C: found out once for each state of their texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from migrate.bindings.declarations import Declarations
from migrate.bindings.knowledge import Bindings
from migrate.facts.forest import Forest
from migrate.old_api.generations import vocabulary_of_c
from migrate.python.modules import Project
from migrate.python.source import Source
from migrate.python.values import Values


class Analysis:
    """The facts of some sources, each made when it is first asked for. Steps that change nothing share them."""

    def __init__(self, sources: Mapping[Path, Source]) -> None:
        self.sources, self.vocabulary = sources, vocabulary_of_c([source.text for source in sources.values()])
        self.project = Project(
            {path: source.tree for path, source in sources.items()},
            {path: source.names for path, source in sources.items()},
        )

    @cached_property
    def forest(self) -> Forest:
        return Forest({path: self.project.names(path) for path in sorted(self.sources)})

    @cached_property
    def declarations(self) -> Declarations:
        return Declarations(self.project.trees.values())

    @cached_property
    def bindings(self) -> Bindings:
        """The Knowledge; what it notes of calls is whole when there are values."""
        return Bindings(self.vocabulary, self.declarations)

    @cached_property
    def values(self) -> Values:
        return Values(self.project, self.bindings)
