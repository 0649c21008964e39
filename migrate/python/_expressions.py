"""Draws expressions in the order in which Python evaluates them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.python._drawing import Drawer, Drawing, Task
from migrate.python._graph import Action
from migrate.python.scopes import Comprehension


def body(nodes: Iterable[ast.AST]) -> Task:
    """Draw statements, or expressions, one after the other."""
    yield from nodes


def store(draw: Drawing, target: ast.expr) -> Task:
    """Draw what a target evaluates before the value is stored in it, and the storing."""
    if isinstance(target, ast.Tuple | ast.List):
        draw.step(target)
        for element in target.elts:
            yield store(draw, element)
    elif isinstance(target, ast.Starred):
        yield store(draw, target.value)
    else:
        yield from _bases(target)
        draw.step(target)


def augmented(draw: Drawing, node: ast.AugAssign) -> Task:
    """Draw `target += value`: the target is read, then the value, then the target is stored."""
    yield from _bases(node.target)
    draw.step(node.target, Action.READ)
    yield node.value
    draw.step(node, Action.DO)
    draw.step(node.target)


def _bases(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Attribute | ast.Subscript):
        yield target.value
    if isinstance(target, ast.Subscript):
        yield target.slice


def _call(draw: Drawing, node: ast.Call) -> Task:
    yield node.func
    yield from (*node.args, *node.keywords)
    draw.step(node)
    if draw.questions.leaves(node):
        draw.fail()


def _bool_op(draw: Drawing, node: ast.BoolOp) -> Task:
    after = draw.new()
    for value in node.values[:-1]:
        following = draw.new()
        yield draw.condition(value, *((following, after) if isinstance(node.op, ast.And) else (after, following)))
        draw.block = following
    yield node.values[-1]
    draw.begin(after)
    draw.step(node)


def _if_exp(draw: Drawing, node: ast.IfExp) -> Task:
    yes, no, after = draw.new(), draw.new(), draw.new()
    yield draw.condition(node.test, yes, no)
    draw.block = yes
    yield node.body
    draw.connect(after)
    draw.block = no
    yield node.orelse
    draw.begin(after)
    draw.step(node)


def _compare(draw: Drawing, node: ast.Compare) -> Task:
    yield node.left
    yield node.comparators[0]
    if len(node.comparators) > 1:
        after = draw.new()
        for comparator in node.comparators[1:]:
            draw.connect(after)
            draw.begin()
            yield comparator
        draw.begin(after)
    draw.step(node)


def _dict(draw: Drawing, node: ast.Dict) -> Task:
    for name, value in zip(node.keys, node.values, strict=True):
        if name is not None:
            yield name
        yield value
    draw.step(node)


def _named(draw: Drawing, node: ast.NamedExpr) -> Task:
    yield node.value
    draw.step(node.target)
    draw.step(node)


def _lambda(draw: Drawing, node: ast.Lambda) -> Task:
    yield from defaults(node.args)
    draw.step(node)


def defaults(arguments: ast.arguments) -> Iterator[ast.expr]:
    """Iterate over the defaults as they are evaluated."""
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default is not None)


def _comprehension(draw: Drawing, node: Comprehension) -> Task:
    """Draw the loops where the comprehension stands; a generator's as well, though it runs later."""
    after, again = draw.new(), None
    yield node.generators[0].iter
    for generator in node.generators:
        if again is not None:
            yield generator.iter
        outer, again = (after if again is None else again), draw.new()
        draw.begin(again)
        draw.step(generator, Action.NEXT)
        draw.connect(outer)
        draw.begin()
        yield store(draw, generator.target)
        for test in generator.ifs:
            following = draw.new()
            yield draw.condition(test, following, again)
            draw.block = following
    if isinstance(node, ast.DictComp):
        yield node.key
        yield node.value
    else:
        yield node.elt
    if not isinstance(node, ast.ListComp):
        draw.connect(draw.handler)  # a key without a hash; a generator may be closed
    draw.connect(again if again is not None else after)
    draw.block = after
    draw.step(node)


EXPRESSIONS: dict[str, Drawer] = {  # those that do not evaluate all their parts in the order of the tree
    "Call": _call,
    "BoolOp": _bool_op,
    "IfExp": _if_exp,
    "Compare": _compare,
    "Dict": _dict,
    "NamedExpr": _named,
    "Lambda": _lambda,
    "ListComp": _comprehension,
    "SetComp": _comprehension,
    "DictComp": _comprehension,
    "GeneratorExp": _comprehension,
}
