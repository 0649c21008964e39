"""Why a program that calls C is not rewritten: the first place that is not understood, and the code for it."""

from __future__ import annotations

import ast

USE, CALL, DECLARATION = "CCM092", "CCM093", "CCM094"
COLLECTED, OWN_DATA = "CCM095", "CCM096"
FEATURE_TEST = "CCM006"


class NotUnderstood(Exception):
    """A place that keeps the files of a library as they are."""

    def __init__(self, node: ast.AST, code: str) -> None:
        super().__init__(code)
        self.node, self.code = node, code
