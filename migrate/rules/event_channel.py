"""Take the two descriptors from the server or client itself, and arm them there."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._edits import Edits, Template
from migrate._legacy import EP
from migrate._rule import Answer, Calls, Context, Refuses, Rule

BOTH = "{local_ep}.send_fd, {local_ep}.recv_fd"


def _get_event_channel(call: _legacy.Call, context: Context) -> Answer:
    if not isinstance(call.arguments["local_ep"], ast.Name | ast.Attribute):
        return Refuses("CCM020")  # it would be evaluated twice
    statement = context.names.parents[call.node]
    if not call.flat:
        text = BOTH if isinstance(statement, ast.Assign) else f"({BOTH})"
        return Edits(expressions={call.node: Template(text, call.arguments)})
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    results = targets[0].elts if len(targets) == 1 and isinstance(targets[0], ast.Tuple) else []
    if not isinstance(statement, ast.Assign) or not all(isinstance(each, ast.Name) for each in results):
        return Refuses("CCM041")
    if len(results) != 3:
        return Refuses("CCM041")
    parts = dict(zip(("rc", "send_fd", "recv_fd"), results, strict=True)) | call.arguments
    error = context.fresh(statement, "error", "failure")
    lines = (
        "try:",
        f"    {{rc}}, {{send_fd}}, {{recv_fd}} = {{comch}}.ErrorCode.SUCCESS, {BOTH}",
        f"except {{comch}}.DocaError as {error}:",
        f"    {{rc}}, {{send_fd}}, {{recv_fd}} = {error}.code, None, None",
    )
    return Edits(statements={statement: [Template(line, parts) for line in lines]})


RULES: dict[str, Rule] = {
    EP + "get_event_channel": _get_event_channel,
    EP + "event_handle_arm_send": Calls("{local_ep}.arm_send"),
    EP + "event_handle_arm_recv": Calls("{local_ep}.arm_recv"),
}
