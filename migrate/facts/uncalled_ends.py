"""Where functions and methods that end handles are called, and what for, when the program uses them as values."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from migrate.facts.forest import Forest
from migrate.facts.references import Reference
from migrate.facts.tokens import Method, Symbol, handles_among
from migrate.old_api.calls import Call
from migrate.python.values import Bound, Token, Value, Values

_ENDING_VALUES = ("_destroy", "_close", ".destroy", ".close")  # C refuses a second one
_AROUND = (ast.Tuple, ast.List, ast.Starred, ast.keyword)

Reached = Mapping["Symbol | Method", Mapping[ast.AST, Set[Hashable]]]


def is_end(name: str) -> bool:
    """Whether a function or method of the old API ends a handle once."""
    return name.endswith(_ENDING_VALUES)


def is_other_function(values: Iterable[Value]) -> bool:
    """Whether values are functions and methods of the old API, none of which ends a handle."""
    keys = [value.key if isinstance(value, Token) else None for value in values]
    names = [key.name if isinstance(key, Symbol) else key.function if isinstance(key, Method) else "" for key in keys]
    return bool(names) and all(name and not is_end(name) for name in names)


@dataclass(frozen=True)
class UncalledEnd:
    """One place with such a value.

    receiver: the handle that a method is of. beside: the call that is given a function, with the handles that it is
    given, too: `guarded(doca_dev_close, dev)`. sites: the calls that may be of the value, with the handles there, or
    what is called if that has them.
    """

    name: str
    node: ast.expr
    receiver: ast.expr | None
    beside: tuple[ast.Call, tuple[ast.expr, ...]] | None
    sites: tuple[tuple[ast.Call, tuple[ast.expr, ...]], ...]

    @property
    def handles(self) -> tuple[ast.expr, ...]:
        """The handles that are seen where the value stands."""
        if self.receiver is not None:
            return (self.receiver,)
        return self.beside[1] if self.beside is not None else ()

    def called(self) -> Iterator[ast.expr]:
        """Yield what may be ended at calls of the value that do not show where it stands."""
        for _, found in self.sites if self.beside is None else ():
            yield from found

    def ends(self) -> Iterator[tuple[ast.expr, tuple[ast.expr, ...]]]:
        """Yield where handles are taken to be ended, and the handles.

        A method may be called whenever it has been made; a function where it is given its handle.
        """
        if self.receiver is not None:
            yield self.node, (self.receiver,)
        if self.beside is not None:
            yield self.beside
        else:
            yield from self.sites


def uncalled_ends(
    forest: Forest, values: Values, calls: Mapping[ast.Call, Call], reached: Reached, references: Iterable[Reference]
) -> Iterator[UncalledEnd]:
    """Yield the places that use an end as a value."""
    for reference in references:
        node = reference.node
        if reference.call is None and is_end(reference.name) and isinstance(node, ast.Name | ast.Attribute):
            is_method = isinstance(node, ast.Attribute) and handles_among(values.of(node.value))
            receiver = node.value if is_method and isinstance(node, ast.Attribute) else None
            beside = _beside(node, reference, forest, values) if receiver is None else None
            yield UncalledEnd(reference.name, node, receiver, beside, tuple(_sites(node, values, calls, reached)))


def _beside(
    node: ast.expr, reference: Reference, forest: Forest, values: Values
) -> tuple[ast.Call, tuple[ast.expr, ...]] | None:
    call = next((above for above in forest.above(node) if not isinstance(above, _AROUND)), None)
    if not isinstance(call, ast.Call):
        return None
    found = _handles(call, reference.origins, values)
    return (call, found) if found else None


def _sites(
    node: ast.expr, values: Values, calls: Mapping[ast.Call, Call], reached: Reached
) -> Iterator[tuple[ast.Call, tuple[ast.expr, ...]]]:
    tokens = [value for value in values.of(node) if isinstance(value, Token)]
    for token, key in ((token, token.key) for token in tokens if isinstance(token.key, Symbol | Method)):
        for site, origins in reached.get(key, {}).items():
            if not isinstance(site, ast.Call) or site in calls:
                continue
            found = () if isinstance(key, Method) else _handles(site, origins, values)
            called = [value.function if isinstance(value, Bound) else value for value in values.of(site.func)]
            if found or token in called:  # else something of Python's own calls it: `stack.callback(handle.destroy)`
                yield site, found or (site.func,)


def _handles(call: ast.Call, origins: Set[Hashable], values: Values) -> tuple[ast.expr, ...]:
    """Return the handles of some origins among what a call is given."""
    todo: list[ast.AST] = [*call.args, *call.keywords]
    found: list[ast.expr] = []
    while todo:
        part = todo.pop(0)
        if isinstance(part, _AROUND):
            todo += [inner for inner in ast.iter_child_nodes(part) if not isinstance(inner, ast.expr_context)]
        elif isinstance(part, ast.expr) and any(it.origin in origins for it in handles_among(values.of(part))):
            found.append(part)
    return tuple(found)
