"""Send on the connection itself, without waiting."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._edits import Edits
from migrate._rule import Answer, Calls, Context, Refuses, Rule, apply


def is_no_flag(node: ast.expr, context: Context) -> bool:
    """Whether a flags argument is DOCA_CC_MSG_FLAG_NONE or 0."""
    symbol = context.flow.symbol(node)
    named = symbol is not None and symbol.name == "DOCA_CC_MSG_FLAG_NONE"
    return named or (isinstance(node, ast.Constant) and node.value == 0)


def _whole(message: ast.expr, length: ast.expr) -> bool:
    """Whether a length argument is the length of the message."""
    if isinstance(message, ast.Constant) and isinstance(length, ast.Constant):
        return isinstance(message.value, bytes) and len(message.value) == length.value
    if not isinstance(length, ast.Call) or not isinstance(length.func, ast.Name) or length.func.id != "len":
        return False
    return [ast.dump(each) for each in length.args] == [ast.dump(message)]


def _fits(message: ast.expr, length: ast.expr) -> bool:
    """Whether a length is known to be one that the message has."""
    if not isinstance(message, ast.Constant) or not isinstance(length, ast.Constant):
        return False
    known = isinstance(message.value, bytes) and isinstance(length.value, int)
    return known and 0 <= length.value <= len(message.value)  # type: ignore[operator, arg-type]


def _sendto(call: _legacy.Call, context: Context) -> Answer:
    if call.flat and not is_no_flag(call.arguments["flags"], context):
        return Refuses("CCM040")
    if call.flat and not _whole(call.arguments["msg"], call.arguments["len"]):
        edits = apply(Calls("{peer_addr}.send", "{msg}[:{len}], timeout=0"), call, context)
        if isinstance(edits, Edits) and not _fits(call.arguments["msg"], call.arguments["len"]):
            edits.notes[call.node] = "CCM066"
        return edits
    return Calls("{peer_addr}.send", "{msg}, timeout=0")


RULES: dict[str, Rule] = {_legacy.EP + "sendto": _sendto}
