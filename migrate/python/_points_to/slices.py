"""Constant keys, and slices of tuples between constant places."""

from __future__ import annotations

import ast

from migrate.python._points_to.domain import Collection
from migrate.python._points_to.heap import Frame, Heap, Key
from migrate.python._points_to.slots import Slot


def slice_tuple(heap: Heap, value: Collection, node: ast.Subscript, frame: Frame, result: Slot) -> bool:
    """Slice a tuple of known length between known places; False where one of them is not known."""
    length, part = heap.contents(value).length, node.slice
    assert isinstance(part, ast.Slice)
    ends = (0 if part.lower is None else key_of(part.lower), length if part.upper is None else key_of(part.upper))
    lower, upper = (end if isinstance(end, int) else None for end in ends)
    if value.kind != "tuple" or length is None or lower is None or upper is None or part.step is not None:
        return False
    kept = range(length)[lower:upper]
    collection, contents = heap.make(node, "tuple", frame, place=(length,))
    contents.length = len(kept)
    for index, place in enumerate(kept):
        heap.flow(heap.item(heap.contents(value), place), heap.item(contents, index))
    heap.add(result, collection)
    return True


def key_of(node: ast.expr) -> Key | None:
    """The key that an expression is, when it is written as a constant."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = key_of(node.operand)
        return -value if isinstance(value, int) else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int | str | bytes):
        return node.value
    return None
