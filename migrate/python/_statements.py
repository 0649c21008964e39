"""Draws statements."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from migrate.python._drawing import Drawer, Drawing, Loop, Task
from migrate.python._expressions import EXPRESSIONS, augmented, body, defaults, store
from migrate.python._graph import Action
from migrate.python._patterns import match
from migrate.python.scopes import Function


def _simple(draw: Drawing, node: ast.stmt) -> Task:
    """Draw a statement that evaluates at most its own expressions: an expression, pass, global, nonlocal."""
    yield from (part for part in ast.iter_child_nodes(node))


def _assign(draw: Drawing, node: ast.Assign) -> Task:
    yield node.value
    for target in node.targets:
        yield store(draw, target)


def _annotated(draw: Drawing, node: ast.AnnAssign) -> Task:
    if node.value is not None:
        yield node.value
        yield store(draw, node.target)
    elif not isinstance(node.target, ast.Name):
        yield node.target.value
    outer = draw.graph.parents[node]
    while not isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
        outer = draw.graph.parents[outer]
    if draw.questions.annotations and isinstance(outer, ast.ClassDef | ast.Module):
        yield node.annotation


def _delete(draw: Drawing, node: ast.Delete) -> Task:
    for target in node.targets:
        yield store(draw, target)


def _import(draw: Drawing, node: ast.Import | ast.ImportFrom) -> Task:
    for alias in node.names:
        draw.step(alias)
    yield from ()


def _return(draw: Drawing, node: ast.Return) -> Task:
    if node.value is not None:
        yield node.value
    yield draw.leave(draw.graph.RETURN[0], 0)


def _raise(draw: Drawing, node: ast.Raise) -> Task:
    yield from filter(None, (node.exc, node.cause))
    draw.fail()


def _assert(draw: Drawing, node: ast.Assert) -> Task:
    """Draw an assertion as Python without -O has it."""
    holds, fails = draw.new(), draw.new()
    yield draw.condition(node.test, holds, fails)
    draw.block = fails
    if node.msg is not None:
        yield node.msg
    draw.fail()
    draw.block = holds


def _break(draw: Drawing, node: ast.Break) -> Task:
    loop, depth = draw.loop()
    yield draw.leave(loop.after, depth)


def _continue(draw: Drawing, node: ast.Continue) -> Task:
    loop, depth = draw.loop()
    yield draw.leave(loop.again, depth)


def _if(draw: Drawing, node: ast.If) -> Task:
    yes, no, after = draw.new(), draw.new(), draw.new()
    yield draw.condition(node.test, yes, no)
    draw.block = yes
    yield body(node.body)
    draw.connect(after)
    draw.block = no
    yield body(node.orelse)
    draw.begin(after)


def _while(draw: Drawing, node: ast.While) -> Task:
    again, inside, done, after = draw.new(), draw.new(), draw.new(), draw.new()
    draw.begin(again)
    draw.step(node, Action.NEXT)
    yield draw.condition(node.test, inside, done)
    yield _looped(draw, node, Loop(after, again), inside, done)


def _for(draw: Drawing, node: ast.For | ast.AsyncFor) -> Task:
    again, inside, done, after = draw.new(), draw.new(), draw.new(), draw.new()
    yield node.iter
    draw.begin(again)
    draw.step(node, Action.NEXT)
    draw.connect(done)
    draw.begin(inside)
    yield store(draw, node.target)
    yield _looped(draw, node, Loop(after, again), draw.block, done)


def _looped(draw: Drawing, node: ast.For | ast.AsyncFor | ast.While, loop: Loop, inside: int, done: int) -> Task:
    draw.block = inside
    draw.frames.append(loop)
    yield body(node.body)
    draw.frames.pop()
    draw.connect(loop.again)
    draw.block = done
    yield body(node.orelse)
    draw.begin(loop.after)


def _with(draw: Drawing, node: ast.With | ast.AsyncWith) -> Task:
    yield _items(draw, node.items, node.body)


def _items(draw: Drawing, items: list[ast.withitem], statements: list[ast.stmt]) -> Task:
    if not items:
        yield body(statements)
        return
    first, *rest = items

    def inside() -> Task:
        if first.optional_vars is not None:
            yield store(draw, first.optional_vars)
        yield _items(draw, rest, statements)

    yield first.context_expr
    draw.step(first, Action.ENTER)
    yield draw.protected(inside(), _done(draw, first, Action.EXIT), draw.questions.swallows(first.context_expr))


def _done(draw: Drawing, node: ast.AST, action: Action) -> Callable[[], Task]:
    def cleanup() -> Task:
        draw.step(node, action)
        yield from ()

    return cleanup


def _try(draw: Drawing, node: Any) -> Task:
    handled = _handlers_of_groups if type(node).__name__ == "TryStar" else _handlers
    if node.finalbody:
        yield draw.protected(_tried(draw, node, handled), lambda: body(node.finalbody))
    else:
        yield _tried(draw, node, handled)


def _tried(draw: Drawing, node: ast.Try, handled: Callable[[Drawing, ast.Try, int], Task]) -> Task:
    if not node.handlers:
        yield body(node.body)
        return
    outer, dispatch, after = draw.handler, draw.new(), draw.new()
    draw.handler = dispatch
    draw.begin()
    yield body(node.body)
    draw.handler = outer
    draw.begin()
    yield body(node.orelse)
    draw.connect(after)
    draw.block = dispatch
    yield handled(draw, node, after)
    draw.block = after


def _handlers(draw: Drawing, node: ast.Try, after: int) -> Task:
    """Draw `except` clauses: the first that matches, or the exception goes on."""
    for handler in node.handlers:
        draw.step(handler, Action.START)
        matches, following = draw.new(), draw.new()
        if handler.type is not None:
            yield handler.type
            if not _catches_all(handler.type):
                draw.connect(following)
        draw.begin(matches)
        yield _handler(draw, handler)
        draw.connect(after)
        draw.block = following
    draw.fail()


def _handlers_of_groups(draw: Drawing, node: ast.Try, after: int) -> Task:
    """Draw `except*` clauses: each may match a part; what is left, or raised in one, goes on at the end."""
    outer = draw.handler
    for handler in node.handlers:
        following = draw.new()
        draw.step(handler, Action.START)
        if handler.type is not None:
            yield handler.type
        draw.connect(following)
        draw.handler = following
        draw.begin()
        yield _handler(draw, handler)
        draw.connect(following)
        draw.handler = outer
        draw.block = following
    draw.connect(after)
    draw.fail()


def _catches_all(kind: ast.expr) -> bool:
    return isinstance(kind, ast.Name) and kind.id == "BaseException"


def _handler(draw: Drawing, handler: ast.ExceptHandler) -> Task:
    if handler.name is None:
        yield body(handler.body)
        return
    draw.step(handler, Action.DO)
    yield draw.protected(body(handler.body), _done(draw, handler, Action.UNBIND))


def _function(draw: Drawing, node: Function) -> Task:
    assert not isinstance(node, ast.Lambda)
    yield from node.decorator_list
    yield from defaults(node.args)
    if draw.questions.annotations:
        arguments = node.args
        every = (*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg)
        yield from (argument.annotation for argument in every if argument and argument.annotation)
        yield from filter(None, (node.returns,))
    draw.step(node)


def _class(draw: Drawing, node: ast.ClassDef) -> Task:
    """Draw a class with its body, which runs where it stands."""
    yield from node.decorator_list
    yield from node.bases
    yield from node.keywords
    yield body(node.body)
    draw.step(node)


def _type_alias(draw: Drawing, node: Any) -> Task:
    draw.step(node.name)
    yield from ()


def _augmented(draw: Drawing, node: ast.AugAssign) -> Task:
    yield augmented(draw, node)


DRAWERS: dict[str, Drawer] = EXPRESSIONS | {
    "Expr": _simple,
    "Pass": _simple,
    "Global": _simple,
    "Nonlocal": _simple,
    "Assign": _assign,
    "AnnAssign": _annotated,
    "AugAssign": _augmented,
    "Delete": _delete,
    "Import": _import,
    "ImportFrom": _import,
    "Return": _return,
    "Raise": _raise,
    "Assert": _assert,
    "Break": _break,
    "Continue": _continue,
    "If": _if,
    "While": _while,
    "For": _for,
    "AsyncFor": _for,
    "With": _with,
    "AsyncWith": _with,
    "Try": _try,
    "TryStar": _try,
    "Match": match,
    "FunctionDef": _function,
    "AsyncFunctionDef": _function,
    "ClassDef": _class,
    "TypeAlias": _type_alias,
}
