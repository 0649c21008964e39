"""Disconnect a peer by role, and close what was an endpoint."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._edits import Edits, Template
from migrate._rule import Answer, Calls, Context, Refuses, Rule


def _disconnect(call: _legacy.Call, context: Context) -> Answer:
    role = context.role(call.arguments["local_ep"])
    if not role:
        return Refuses("CCM047")
    return Calls("{local_ep}.disconnect", "{peer_addr}" if role == "Server" else "")


def _destroy(call: _legacy.Call, context: Context) -> Answer:
    """An endpoint that was never made (its arguments were refused) needs no close."""
    if call.node not in context.guarded:
        return Calls("{local_ep}.close")
    close = "{comch}.outcome({local_ep}.close)" if call.flat else "{local_ep}.close()"
    statement = context.names.parents[call.node]
    if isinstance(statement, ast.Expr):
        lines = [
            Template("if {local_ep} is not None:", call.arguments),
            Template(f"    {close}", call.arguments),
        ]
        return Edits(statements={statement: lines})
    if not call.flat:
        return Refuses("CCM037")
    text = f"({close}[0] if {{local_ep}} is not None else {{comch}}.ErrorCode.SUCCESS)"
    return Edits(expressions={call.node: Template(text, call.arguments)})


RULES: dict[str, Rule] = {_legacy.EP + "disconnect": _disconnect, _legacy.EP + "destroy": _destroy}
