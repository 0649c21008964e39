"""One call that a rule rewrites: its arguments as placeholders, and the questions about them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._roles import owner_of, role

_RUNNING = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
# Kind of a handle -> its class in comch_next; an endpoint's depends on its role.
OWNERS = {
    "blocking endpoint": "BlockingChannel",
    "peer": "Connection",
    "device": "Device",
    "representor": "Representor",
    "devinfo": "DevInfo",
    "repinfo": "RepInfo",
    "backend": "log.Backend",
    "server": "Server",
    "client": "Client",
    "connection": "Connection",
    "producer": "Producer",
    "consumer": "Consumer",
    "ctx": "Context",
    "send_task": "SendTask",
    "producer_task": "ProducerSendTask",
    "post_task": "PostRecvTask",
    "task": "task.Task",
    "engine": "ProgressEngine",
    "mmap": "Mmap",
    "inventory": "BufInventory",
    "buf": "Buf",
}
_OF_SUBCLASSES = frozenset({"task"})  # kinds whose members each of their classes has in its own way


@dataclass(frozen=True)
class Site:
    """A call and what is known of it. is_bound: its arguments are parameters of a lambda around it."""

    call: Call
    facts: Facts
    is_bound: bool = False

    @property
    def handle(self) -> str:
        """The C name of the receiver, "" for a function of the module."""
        return self.call.signature.receiver

    @property
    def is_flat(self) -> bool:
        """Whether a call that fails returns a code (or None) in place of raising."""
        return self.call.spelling == "flat"

    @property
    def is_statement(self) -> bool:
        """Whether the value is not used."""
        return self.facts.is_statement(self.call.node)

    @cached_property
    def may_be_none(self) -> bool:
        """Whether a flat call may get something else in place of its handle, None above all, which is a code to it."""
        receiver = self.call.receiver
        if not self.is_flat or receiver is None:
            return False
        strange = self.facts.kinds(receiver) - {self.call.signature.kinds[self.handle]}
        return bool(strange) or self.facts.may_be_none(receiver)

    def is_there(self) -> str:
        """The test whether the handle is one; a flat call fails for anything else."""
        receiver, kind = self.call.receiver, self.call.signature.kinds[self.handle]
        known = receiver is None or kind not in OWNERS or self.facts.is_only(receiver, kind)
        if known or not self.facts.has_builtin(self.call.node, "isinstance"):
            return f"{{{self.handle}}} is not None"
        return f"isinstance({{{self.handle}}}, {{comch}}.{OWNERS[kind]})"

    def owner(self, member: str) -> str:
        """The class of comch_next that has a member of the handle, "" when that differs."""
        kind = self.call.signature.kinds[self.handle]
        receiver = self.call.receiver
        assert receiver is not None
        if kind != "endpoint":
            return "" if kind in _OF_SUBCLASSES else OWNERS.get(kind, "")
        return role(self.facts, self.facts.handles(receiver)) or owner_of(member)

    def is_simple(self) -> bool:
        """Whether all arguments may be evaluated earlier, later, or more than once."""
        return self.is_bound or all(map(self._is_simple, self.call.arguments.values()))

    def _is_simple(self, node: ast.expr) -> bool:
        """Whether an argument is simple, or the length of what is, which stays as it is among such arguments."""
        match node:
            case ast.Call(func=ast.Name("len") as function, args=[of], keywords=[]):
                return self.facts.is_builtin(function) and self.facts.is_simple(of)
        return self.facts.is_simple(node)

    def is_receiver_fixed(self) -> bool:
        """Whether the handle is the same after the other arguments have been evaluated."""
        receiver = self.call.receiver
        if receiver is None or self.facts.is_fixed(receiver):
            return receiver is not None
        others = [node for node in self.call.arguments.values() if node is not receiver]
        runs = any(self._may_run(part) for node in others for part in ast.walk(node))
        return self.facts.is_simple(receiver) and not runs

    def _may_run(self, part: ast.AST) -> bool:
        """Whether what stands in an expression may bind names and attributes anew."""
        return isinstance(part, _RUNNING) or (isinstance(part, ast.Attribute) and not self.facts.is_simple(part))

    def is_tested(self) -> bool:
        """Whether it only matters if the value is true, or how it compares."""
        node: ast.AST = self.call.node
        above = self.facts.parent(node)
        while isinstance(above, ast.BoolOp):
            node, above = above, self.facts.parent(above)
        negated = isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)
        return negated or isinstance(above, ast.Expr | ast.Compare) or node is getattr(above, "test", None)

    def keeps_order(self, kept: Iterable[str]) -> bool:
        """Whether what has an effect is still evaluated, in the old order; the receiver comes first now."""
        given = self.call.arguments
        dropped = [node for name, node in given.items() if name not in {*kept, self.handle}]
        first = self.handle in ("", *list(given)[:1])
        return all(map(self.facts.is_simple, dropped)) and (first or self.is_simple())

    def arguments(
        self, inputs: Mapping[str, str], options: str = "", made: Mapping[str, str] = MappingProxyType({})
    ) -> str:
        """The new arguments, in the order of the old: by position as long as that is the new order, too.

        made: C name -> what is passed in place of the argument itself.
        """
        given = [name for name in self.call.arguments if name in inputs]
        positions, texts, by_keyword = [name for name in inputs if name in self.call.signature.inputs], [], False
        for position, name in enumerate(given):
            by_keyword = by_keyword or positions[position] != name
            text = made.get(name, f"{{{name}}}")
            texts.append(f"{inputs[name]}={text}" if by_keyword else text)
        return ", ".join([*texts, options] if options else texts)

    def is_lambda_safe(self) -> bool:
        """Whether a lambda around the arguments means what they mean."""
        return self.is_bound or (self.is_simple() and not self.facts.is_awaited_or_generator_scope(self.call.node))

    def is_enclosed(self) -> bool:
        """Whether an operator may stand in the call's place without brackets."""
        parent = self.facts.parent(self.call.node)
        is_argument = isinstance(parent, ast.Call) and parent.func is not self.call.node
        return is_argument or isinstance(parent, ast.stmt | ast.keyword | ast.NamedExpr)

    def enclosed(self, text: str) -> str:
        """A text with an operator, in brackets unless its place has them."""
        return text if self.is_enclosed() else f"({text})"
