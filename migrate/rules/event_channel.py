"""Take the two descriptors from the server or client itself, and arm them there."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._edits import Edits, Template
from migrate._legacy import EP
from migrate._rule import Answer, Calls, Context, Reads, Refuses, Rule
from migrate._scopes import COMPREHENSIONS

BOTH = "{local_ep}.send_fd, {local_ep}.recv_fd"


def _get_event_channel(call: _legacy.Call, context: Context) -> Answer:
    """An endpoint that has no name gets one: it is worked out once, and then asked twice."""
    name = "" if context.names.variable(call.arguments["local_ep"]) else context.fresh("endpoint", "end")
    if call.flat:
        return _unpacked(call, name, context)
    if name and any(isinstance(each, COMPREHENSIONS) for each in context.names.above(call.node)):
        return Refuses("CCM020")
    text = f"({name} := {{local_ep}}).send_fd, {name}.recv_fd" if name else BOTH
    alone = isinstance(context.names.parents[call.node], ast.Assign)
    return Edits(expressions={call.node: Template(text if alone else f"({text})", call.arguments)})


def _unpacked(call: _legacy.Call, name: str, context: Context) -> Answer:
    """``rc, send_fd, recv_fd = get_event_channel(...)``."""
    statement = context.names.parents[call.node]
    if isinstance(statement, ast.Expr):
        return Reads("{local_ep}", "recv_fd")  # nobody takes them: one stands for both
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    results = targets[0].elts if len(targets) == 1 and isinstance(targets[0], ast.Tuple) else []
    if not isinstance(statement, ast.Assign) or not all(isinstance(each, ast.Name | ast.Attribute) for each in results):
        return Refuses("CCM041")
    if len(results) != 3:
        return Refuses("CCM041")
    parts = dict(zip(("rc", "send_fd", "recv_fd"), results, strict=True)) | call.arguments
    error = context.fresh("error", "failure")
    both = f"{name}.send_fd, {name}.recv_fd" if name else BOTH
    lines = (
        *([f"{name} = {{local_ep}}"] if name else []),
        "try:",
        f"    {{rc}}, {{send_fd}}, {{recv_fd}} = {{comch}}.ErrorCode.SUCCESS, {both}",
        f"except {{comch}}.DocaError as {error}:",
        f"    {{rc}}, {{send_fd}}, {{recv_fd}} = {error}.code, None, None",
    )
    return Edits(statements={statement: [Template(line, parts) for line in lines]})


RULES: dict[str, Rule] = {
    EP + "get_event_channel": _get_event_channel,
    EP + "event_handle_arm_send": Calls("{local_ep}.arm_send"),
    EP + "event_handle_arm_recv": Calls("{local_ep}.arm_recv"),
}
