"""Receive without waiting; a flat call gets its code, length and peer from the error when it fails."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._edits import Edits, Template
from migrate._rule import Answer, Calls, Context, Refuses, Rule
from migrate.rules.sendto import is_no_flag

RECEIVE = "{local_ep}.receive({len}, timeout=0)"


def _recvfrom(call: _legacy.Call, context: Context) -> Answer:
    if not call.flat:
        return Calls("{local_ep}.receive", "{len}, timeout=0" if "len" in call.arguments else "timeout=0")
    if not is_no_flag(call.arguments["flags"], context):
        return Refuses("CCM040")
    parent = context.names.parents[call.node]
    if isinstance(parent, ast.Expr):
        return Calls("{local_ep}.receive", "{len}, timeout=0")
    if isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Constant) and parent.slice.value == 0:
        text = "{comch}.outcome({local_ep}.receive, {len}, timeout=0)[0]"
        return Edits(expressions={parent: Template(text, call.arguments)})
    return _unpacked(call, parent, context)


def _unpacked(call: _legacy.Call, statement: ast.AST, context: Context) -> Answer:
    """``rc, msg, length, peer = recvfrom(...)``: length and peer are there on some failures too."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    results = targets[0].elts if len(targets) == 1 and isinstance(targets[0], ast.Tuple) else []
    if not isinstance(statement, ast.Assign) or len(results) != 4:
        return Refuses("CCM041")
    names = [ast.unparse(each) for each in results if context.names.variable(each) is not None]
    if len(names) != 4 or names[1] == "_" or names[1] in (names[0], names[2], names[3]):
        return Refuses("CCM041")
    parts = dict(zip(("rc", "msg", "length", "peer"), results, strict=True)) | call.arguments
    error = context.fresh("error", "failure")
    lines = (
        "try:",
        f"    {{msg}}, {{peer}} = {RECEIVE}",
        "    {rc}, {length} = {comch}.ErrorCode.SUCCESS, len({msg})",
        f"except {{comch}}.DocaError as {error}:",
        f"    {{rc}}, {{msg}}, {{length}}, {{peer}} = {error}.code, None, {error}.length, {error}.connection",
    )
    return Edits(statements={statement: [Template(line, parts) for line in lines]})


RULES: dict[str, Rule] = {_legacy.EP + "recvfrom": _recvfrom}
