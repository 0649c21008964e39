"""Small programs whose control flow is asked about, with their calls by name."""

from __future__ import annotations

import ast
import textwrap

from migrate.python.control import Control, Graph
from migrate.python.scopes import Names


class Program:
    """A function body; `a`, `b` ... are the places of its calls `a()`, `b()` ..., `f` the function's graph."""

    def __init__(self, text: str, **questions: bool) -> None:
        body = textwrap.indent(textwrap.dedent(text).strip("\n"), "    ")
        self.names = Names(ast.parse(f"import sys, contextlib\ndef f(x, y):\n{body}"))
        answers = {word: (lambda node, answer=answer: answer) for word, answer in questions.items()}
        self.control = Control(self.names, **answers)
        self.function = self.names.tree.body[1]
        self.graph: Graph = self.control.graph(self.function)
        calls = [node for node in ast.walk(self.names.tree) if isinstance(node, ast.Call)]
        self.places = {ast.unparse(call.func): call for call in calls}
        self.statements = [node for node in ast.walk(self.function) if isinstance(node, ast.stmt)]

    def call(self, name: str) -> ast.Call:
        return self.places[name]
