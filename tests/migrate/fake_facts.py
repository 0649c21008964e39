"""Facts with answers of the test's choice, for rules alone."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from migrate.facts.program import Facts, Obstacle, Reference
from migrate.old_api.calls import Call
from migrate.old_api.generations import VOCABULARY
from migrate.old_api.spellings import flat, objects
from migrate.rules._answers import Answer, Change
from migrate.rules._registry import load
from migrate.rules.core.names import answer as answer_name
from migrate.text.code import Template

# What the names of a test's program are.
KINDS = {"ep": "endpoint", "peer": "peer", "dev": "device", "rep": "representor", "info": "devinfo"}
KINDS |= {"repinfo": "repinfo", "backend": "backend"}
BYTES = frozenset({"data"})


@dataclass(eq=False)
class FakeFacts:
    """A program of one expression statement or assignment; the first name of a text says what it is."""

    source: str
    calls: frozenset[str] = frozenset()  # on every endpoint
    none: frozenset[str] = frozenset()  # texts of expressions that may be None
    observed: frozenset[str] = frozenset()
    shadowed: frozenset[str] = frozenset()  # builtins that are the program's own
    constants: Mapping[str, object] = field(default_factory=dict)
    origin: Hashable = "origin"  # of every handle
    scoped: bool = False  # whether a lambda changes what the expression means
    references: Sequence[Reference] = ()
    shown_numbers: frozenset[str] = frozenset()
    tested_away: frozenset[str] = frozenset()
    vocabulary = VOCABULARY
    name_tables: Mapping[ast.AST, ast.expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.source)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def handles(self, node: ast.expr) -> frozenset[Hashable]:
        return frozenset({self.origin})

    def kinds(self, node: ast.expr) -> frozenset[str]:
        return frozenset({KINDS.get(ast.unparse(node).split(".")[-1], "")}) - {""}

    def obstacles(self, origin: Hashable) -> Sequence[Obstacle]:
        return ()

    def is_only(self, node: ast.expr, kind: str) -> bool:
        return True

    def is_first_read(self, callback: ast.expr) -> bool:
        return False

    def may_have_flags(self, function: ast.expr) -> bool:
        return False

    def keywords_given(self, node: ast.expr, function: str) -> frozenset[str | None]:
        outer = self.parents[node]
        return frozenset(keyword.arg for keyword in outer.keywords) if isinstance(outer, ast.Call) else frozenset()

    def may_be_ended_again(self, function: str, reference: Reference) -> bool:
        return False

    def is_class_attribute(self, node: ast.expr) -> bool:
        return False

    def calls_are_observed(self, function: ast.expr) -> frozenset[str]:
        return frozenset()

    def may_be_none(self, node: ast.expr) -> bool:
        return ast.unparse(node) in self.none

    def asked_name(self, node: ast.expr) -> ast.Attribute | None:
        return None

    def is_called_back(self, node: ast.expr) -> bool:
        return False

    def is_dispatched(self, node: ast.expr) -> bool:
        return False

    def is_seen_none(self, node: ast.expr) -> bool:
        return self.constant(node) is None and isinstance(node, ast.Constant)

    def may_still_be_none(self, node: ast.expr) -> bool:
        return self.is_seen_none(node)

    def is_seen_bytes(self, node: ast.expr) -> bool:
        return self.is_bytes(node)

    def may_be_closed(self, node: ast.expr) -> bool:
        return False

    def may_come_after(self, node: ast.AST, function: str, origin: Hashable) -> bool:
        return function in self.calls_on(origin)

    def calls_on(self, origin: Hashable) -> frozenset[str]:
        return frozenset("doca_comm_channel_ep_" + name for name in self.calls)

    def sites(self, function: str) -> dict[ast.AST, set[object]]:
        return {}

    def code_is_observed(self, call: Call) -> frozenset[str]:
        return self.observed

    def was_c(self, node: ast.AST) -> bool:
        return False

    def constant(self, node: ast.expr) -> object | None:
        return node.value if isinstance(node, ast.Constant) else self.constants.get(ast.unparse(node))

    def choices(self, node: ast.expr) -> list[object]:
        return []

    def is_bytes(self, node: ast.expr) -> bool:
        return ast.unparse(node) in BYTES or isinstance(self.constant(node), bytes)

    def is_simple(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name | ast.Constant) or (
            isinstance(node, ast.Attribute) and self.is_simple(node.value)
        )

    def is_cell(self, node: ast.expr) -> bool:
        return False  # no list is made here

    def is_fixed(self, node: ast.expr) -> bool:
        return False  # any call may bind any name anew

    def is_builtin(self, name: ast.Name) -> bool:
        return self.has_builtin(name, name.id)

    def has_builtin(self, node: ast.AST, name: str) -> bool:
        return name not in self.shadowed

    def parent(self, node: ast.AST) -> ast.AST:
        return self.parents[node]

    def is_statement(self, node: ast.expr) -> bool:
        return isinstance(self.parents[node], ast.Expr)

    def is_awaited_or_generator_scope(self, node: ast.expr) -> bool:
        return self.scoped

    def fresh(self, node: ast.AST, *wanted: str) -> str:
        return wanted[0]

    # What the test asks

    def call(self) -> Call:
        """The first old call of the program."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in VOCABULARY.objects:
                    return objects.read(node, VOCABULARY.objects[node.func.id])
                if node.func.id in VOCABULARY.flat:
                    return flat.read(node, VOCABULARY.flat[node.func.id])
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                for kind in self.kinds(node.func.value):
                    if (kind, node.func.attr) in VOCABULARY.methods:
                        function = VOCABULARY.methods[kind, node.func.attr]
                        return objects.read(node, function, node.func.value)
        raise AssertionError(f"no old call in {self.source!r}")

    def answer(self) -> Answer:
        """What the rule of the first old call says."""
        call = self.call()
        return load()[call.function](call, cast(Facts, self))

    def answer_for_name(self, text: str, name: str = "", origins: Sequence[Hashable] = ()) -> Answer:
        """What becomes of the first expression that reads `text`, a name (of the module) that is not called."""
        node = next(node for node in ast.walk(self.tree) if isinstance(node, ast.expr) and ast.unparse(node) == text)
        reference = Reference(Path("program.py"), node, name or text, origins=frozenset(origins))
        return answer_name(reference, cast(Facts, self))

    def text(self, answer: Answer) -> str:
        """The program after an answer; its code when it was refused."""
        if not isinstance(answer, Change):
            return answer.code
        edits: list[tuple[ast.AST, Template]] = [*answer.edits.expressions.items(), *answer.edits.statements.items()]
        result = self.source
        for node, template in edits:
            old = ast.get_source_segment(self.source, node) or ""
            parts = {name: ast.get_source_segment(self.source, part) for name, part in template.parts.items()}
            result = result.replace(old, template.text.format(comch="comch", **parts), 1)
        ast.parse(result)
        return result


def rewritten(source: str, **answers: object) -> str:
    """The program after the rule of its first old call, or the code of the refusal."""
    facts = FakeFacts(source, **answers)  # type: ignore[arg-type]
    return facts.text(facts.answer())
