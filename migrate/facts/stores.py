"""What a program stores to attributes: after a dot, by their names, through an object's dictionary or another class."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest

_DISPLAY = ast.Tuple | ast.List
_BY_NAME = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_OF_DICTIONARIES = frozenset({"vars", "globals"})


def stored_value(forest: Forest, target: ast.AST) -> ast.expr | None:
    """Return the expression whose value a target gets as a whole; None where it is not written."""
    parent = forest.parents.get(target)
    if isinstance(parent, ast.Assign | ast.AnnAssign | ast.NamedExpr):
        return parent.value
    above = forest.parents.get(parent) if isinstance(parent, _DISPLAY) else None
    if not isinstance(parent, _DISPLAY) or not isinstance(above, ast.Assign) or not isinstance(above.value, _DISPLAY):
        return None
    is_level = len(parent.elts) == len(above.value.elts)
    stars = (part for part in (*parent.elts, *above.value.elts) if isinstance(part, ast.Starred))
    given = (value for part, value in zip(parent.elts, above.value.elts, strict=is_level) if part is target)
    return next(given) if is_level and not any(stars) else None


def stored_attributes(forest: Forest) -> Iterator[str | None]:
    """Yield the attributes that a program stores to or deletes, None for some whose names are not written."""
    for _, node in forest.nodes(ast.Attribute):
        if not isinstance(node.ctx, ast.Load):
            yield None if node.attr == "__class__" else node.attr
    for _, call in forest.calls(_BY_NAME):
        texts = [str(part.value) for part in call.args[:2] if isinstance(part, ast.Constant)]
        yield from (text.rpartition(".")[2] for text in texts)
        if not texts:
            yield None
    if any(True for _ in _dictionaries(forest)):
        yield None


def executed_names(forest: Forest) -> Iterator[str | None]:
    """Yield the names that code in texts binds where it is executed, None for some of texts that are not written."""
    for _, call in forest.calls(["exec"]):
        if not isinstance(call.func, ast.Name) or len(call.args) != 1 or call.keywords:
            continue  # in a dictionary
        match call.args[0]:
            case ast.Constant(value=str(text)):
                yield from _bound(text)
            case _:
                yield None


def _bound(text: str) -> Iterator[str | None]:
    """Yield the names that a text binds, None for those of star imports."""
    try:
        nodes = [*ast.walk(ast.parse(text))]
    except (SyntaxError, ValueError):
        return
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.ClassDef(name=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.alias(name="*"):
                yield None
            case ast.alias(name=name, asname=asname):
                yield asname or name.partition(".")[0]


def written_dictionaries(forest: Forest) -> Iterator[ast.expr]:
    """Yield the objects whose dictionaries a program does more with than read them."""
    return (owner for owner in _dictionaries(forest) if owner is not None)


def _dictionaries(forest: Forest) -> Iterator[ast.expr | None]:
    """Yield them, and None for the variables of a file."""
    for _, node in forest.nodes(ast.Attribute):
        if node.attr == "__dict__" and not _reads(forest.parents[node]):
            yield node.value
    for _, call in forest.calls(_OF_DICTIONARIES):
        if not _reads(forest.parents[call]):
            yield call.args[0] if call.args else None


def _reads(place: ast.AST) -> bool:
    """Whether what stands around a dictionary only reads it: an index, a loop, a text."""
    match place:
        case ast.Subscript(ctx=ast.Load()) | ast.Attribute(attr="items" | "values" | "keys" | "get" | "copy"):
            return True
        case ast.Call(func=ast.Name("print" | "dict" | "list" | "sorted" | "len" | "str" | "repr")):
            return True
        case ast.keyword(arg=None):
            return True
    return isinstance(place, ast.Compare | ast.FormattedValue | ast.For | ast.comprehension)
