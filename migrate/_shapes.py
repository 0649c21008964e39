"""What a value can be: a handle of the old API, a tuple of known items, a name of the old module, or anything else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Handle:
    """An endpoint, peer, device ... (`devinfo[]` is a list of them); `site` is where an endpoint was created."""

    kind: str
    site: ast.Call | None = None


@dataclass(frozen=True)
class Row:
    """A tuple whose items are known."""

    items: tuple[Shapes, ...]


@dataclass(frozen=True)
class Symbol:
    """A name of the old module ('' for the module itself); `sure` is False when the name has other bindings too."""

    name: str
    sure: bool = True


@dataclass(frozen=True)
class Other:
    """Anything else."""


Shape: TypeAlias = Handle | Row | Symbol | Other
Shapes: TypeAlias = frozenset[Shape]

OTHER: Shapes = frozenset({Other()})
NOTHING: Shapes = frozenset()


def one(shape: Shape) -> Shapes:
    return frozenset({shape})


def handles(shapes: Shapes) -> Iterator[Handle]:
    """Every handle in some shapes, inside of tuples too."""
    for shape in shapes:
        if isinstance(shape, Handle):
            yield shape
        elif isinstance(shape, Row):
            for item in shape.items:
                yield from handles(item)
