"""Checks a new text before anybody may write it: it parses, and every name that it reads is bound as before."""

from __future__ import annotations

import ast
import builtins

from migrate._scopes import Names


def unknown_names(tree: ast.Module) -> set[str]:
    """Names that are read and bound nowhere."""
    names = Names(tree)
    variables = {variable for variable in names.of.values() if not variable.bindings and variable.loads}
    return {each.name for each in variables} - set(dir(builtins)) - {"__file__", "__path__"}


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
