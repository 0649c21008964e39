"""Checks a rewritten text before anybody may write it: it parses, uses no new unknown name, and lost no binding in use."""

from __future__ import annotations

import ast
import builtins

from migrate._scopes import Names


def unknown_names(tree: ast.Module) -> set[str]:
    """Names that are read and bound nowhere."""
    names = Names(tree)
    variables = {variable for variable in names.of.values() if not variable.bindings and variable.loads}
    return {each.name for each in variables} - set(dir(builtins)) - {"__file__", "__name__", "__doc__", "__path__", "__spec__"}


def complaint(old: ast.Module, new_text: bytes) -> str:
    """What is wrong with a new text; '' when nothing is."""
    try:
        new = ast.parse(new_text)
    except (SyntaxError, ValueError) as error:
        return f"the new text does not parse: {error}"
    star = any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(new))
    unknown = unknown_names(new) - unknown_names(old)
    if unknown and not star:
        return f"unknown names in the new text: {', '.join(sorted(unknown))}"
    return ""
