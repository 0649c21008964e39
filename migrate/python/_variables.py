"""Variables and the scopes that they live in."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property


class Kind(Enum):
    """What a scope belongs to."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"  # or lambda
    COMPREHENSION = "comprehension"
    TYPES = "types"  # the parameters of a generic function or class, the value of a type statement


@dataclass(eq=False)
class Variable:
    """One variable: where it lives, what binds it, and who reads it, all in the order of the text.

    bindings: the Name stored to, or the alias, arg, def, class, except handler, pattern or type parameter.
    loads: the names that read it, the target of an augmented assignment among them. deletions: the names of `del`.
    declarations: what makes the name the scope's own, or another's, and binds nothing (`x: int`, `global x`).
    """

    name: str  # as the interpreter has it: __x in class C is _C__x
    scope: Scope
    bindings: list[ast.AST] = field(default_factory=list)
    loads: list[ast.Name] = field(default_factory=list)
    deletions: list[ast.Name] = field(default_factory=list)
    declarations: list[ast.AST] = field(default_factory=list)


@dataclass(eq=False)
class Scope:
    """A module, class, function, lambda or comprehension, or the scope of type parameters."""

    node: ast.AST
    parent: Scope | None
    kind: Kind
    owner: str = ""  # the innermost class around, for names like __x
    variables: dict[str, Variable] = field(default_factory=dict)
    module_names: set[str] = field(default_factory=set)  # by `global`
    outer_names: set[str] = field(default_factory=set)  # by `nonlocal`
    stars: list[ast.ImportFrom] = field(default_factory=list)
    own_names: set[str] = field(default_factory=set)
    implicit: Variable | None = None  # a class's `__class__`, as its methods see it
    found: dict[str, Variable] = field(default_factory=dict)  # what names have turned out to mean here

    @cached_property
    def function(self) -> ast.AST:
        """The innermost function around, or the module; class bodies do not count."""
        if self.kind is Kind.FUNCTION or self.parent is None:
            return self.node
        return self.parent.function

    def module(self) -> Scope:
        """Return the scope of the module."""
        scope = self
        while scope.parent:
            scope = scope.parent
        return scope

    def mangle(self, name: str) -> str:
        """Return a name as the interpreter has it here."""
        if not self.owner or not name.startswith("__"):  # nearly all
            return name
        owner = self.owner.lstrip("_")
        private = owner and not name.endswith("__") and "." not in name
        return f"_{owner}{name}" if private else name

    def find(self, name: str) -> Variable:
        """Return the variable that `name` means here; one of the module without bindings when nothing binds it."""
        found = self.found.get(name)
        if found is None:
            found = self.found[name] = self._find(self.mangle(name))
        return found

    def _find(self, name: str) -> Variable:
        home = self._home(name)
        if home.kind is Kind.CLASS and home is not self and name == "__class__":
            home.implicit = home.implicit or Variable(name, home)
            return home.implicit
        if name not in home.variables:
            home.variables[name] = Variable(name, home)
        return home.variables[name]

    def _home(self, name: str) -> Scope:
        scope: Scope | None = self
        of_class = True  # whether the names of a class are visible from here
        while scope is not None and scope.parent is not None:
            if scope.kind is not Kind.CLASS or of_class:
                if name in scope.module_names:
                    break
                if name in scope.own_names and name not in scope.outer_names:
                    return scope
            elif name == "__class__":
                return scope
            of_class = of_class and scope.kind is Kind.TYPES
            scope = scope.parent
        return self.module()
