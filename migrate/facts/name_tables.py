"""Loops over all names of the old module that keep the names of result codes only: `vars(cc).items()`, `dir(cc)`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from migrate.facts.forest import Forest, last_name
from migrate.facts.tokens import are_modules, symbols
from migrate.old_api._tables import MEMBERS
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.known_calls import MEMBERS as MEMBERS_OF
from migrate.python.scopes import COMPREHENSIONS, Comprehension
from migrate.python.values import External, Plain, Values

_CODES = frozenset(name for name, member in MEMBERS.items() if member.startswith("ErrorCode."))
_OF_C = "DOCA_"  # no other names of a module begin so, such as those of Python's own
_KINDS: tuple[type[Comprehension], ...] = COMPREHENSIONS


class Loop(NamedTuple):
    """What a loop iterates over and assigns to, its tests in their order, and what runs only where they are true."""

    iterated: ast.expr
    target: ast.expr
    tests: list[ast.expr]
    kept: list[ast.AST]


class Listing(NamedTuple):
    """What a loop takes all names from, the module in it, and the variables that are a name and its value, if any."""

    taken: ast.expr
    module: ast.expr
    name: ast.Name
    value: ast.expr | None


class NameTables:
    """Finds such loops; `of_module`: each place of the module in one -> the expression that takes names from it."""

    def __init__(self, forest: Forest, values: Values, vocabulary: Vocabulary) -> None:
        self._forest, self._values, self._vocabulary = forest, values, vocabulary
        self.of_module: dict[ast.expr, ast.expr] = {}
        for loop in loops(forest):
            listing = listing_of(loop)
            if listing is None or not self._is_module(listing.module) or not self._is_python(listing.taken):
                continue
            names = self._others(listing.module)
            if self._has_no_functions(loop, listing):
                names = names.difference(vocabulary.flat)
            first = next((test for test in loop.tests if not _is_type_test(test)), None)
            if first is not None and _refuses(first, listing.name.id, names):
                self.of_module[listing.module] = listing.taken
                self.of_module.update(self._looked_up(loop, listing.name))

    def _others(self, module: ast.expr) -> frozenset[str]:
        """Return the names that the module has beside those of result codes."""
        homes = [self._vocabulary.modules[symbol.package, ""] for symbol in symbols(self._values.of(module))]
        return frozenset[str]().union(*homes) - _CODES

    def _has_no_functions(self, loop: Loop, listing: Listing) -> bool:
        """Whether no function is kept, or only as a key that nobody looks up."""
        value = listing.value.id if isinstance(listing.value, ast.Name) else ""
        if value and any(_is_type_test(test, value) for test in loop.tests):
            return True
        match loop.kept:
            case [ast.DictComp(key=ast.Name(key)) as table] if key == value:
                return self._is_looked_up_in(table)
            case [ast.DictComp(key=ast.Call(func=ast.Name("getattr"))) as table]:
                return self._is_looked_up_in(table)
        return False

    def _is_looked_up_in(self, table: ast.DictComp) -> bool:
        """Whether a table is the value of a variable that is only asked for single keys."""
        match self._forest.parents[table]:
            case ast.Assign([ast.Name(name) as target]) | ast.AnnAssign(target=ast.Name(name) as target):
                variable = self._forest.of(target).of[target]
                shared = (node.attr for _, node in self._forest.nodes(ast.Attribute))
                imported = (node.name for _, node in self._forest.nodes(ast.alias))
                is_own = variable.bindings == [target] and {name, "*"}.isdisjoint({*shared, *imported})
                return is_own and all(map(self._is_look_up, variable.loads))
        return False

    def _is_look_up(self, use: ast.Name) -> bool:
        match self._forest.parents[use]:
            case ast.Subscript(value=owner, ctx=ast.Load()) | ast.Attribute(owner, "get"):
                return owner is use
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[table]):
                return table is use
        return False

    def _looked_up(self, loop: Loop, name: ast.Name) -> Iterator[tuple[ast.expr, ast.expr]]:
        """Yield the places of the module in `getattr(cc, name)`, with these calls."""
        inside, names = {node for kept in loop.kept for node in ast.walk(kept)}, self._forest.of(name)
        others = [binding for binding in names.of[name].bindings if binding is not name]
        if any(each in inside or names.function(each) is not names.function(name) for each in others):
            return  # it may be another name by then
        for call in inside:
            match call:
                case ast.Call(func=ast.Name("getattr"), args=[module, ast.Name() as asked], keywords=[]):
                    is_own = names.of[asked] is names.of[name]
                    if is_own and self._is_python(call) and self._is_module(module):
                        yield module, call

    def _is_module(self, node: ast.expr) -> bool:
        values = self._values.of(node)
        return bool(values) and Plain.NONE not in values and are_modules(values)

    def _is_python(self, listing: ast.expr) -> bool:
        """Whether the function that an expression calls is Python's own."""
        if not isinstance(listing, ast.Call):
            return True
        return self._values.of(listing.func) == {External(f"builtins.{getattr(listing.func, 'id', '')}")}


def loops(forest: Forest) -> Iterator[Loop]:
    """Iterate over the loops of all files."""
    for kind in _KINDS:
        for _, made in forest.nodes(kind):
            first = made.generators[0]
            if not first.is_async:
                yield Loop(first.iter, first.target, [*_conditions(first.ifs)], [made])
    for _, statement in forest.nodes(ast.For):
        match statement.body:
            case [ast.If(test, body, [])]:
                yield Loop(statement.iter, statement.target, [*_conditions([test])], [*body])
            case [ast.If(ast.UnaryOp(ast.Not(), test), [ast.Continue()], []), *rest]:
                yield Loop(statement.iter, statement.target, [*_conditions([test])], [*rest])


def beginnings(forest: Forest) -> dict[ast.AST, str]:
    """Return what all names begin with that loops over listings keep, as far as they test that.

    By the listing, by the variable that has such a name, and by the comprehension that makes a row of them.
    """
    found: dict[ast.AST, str] = {}
    for loop in loops(forest):
        if listing := listing_of(loop):
            rows = [made for made in loop.kept if getattr(getattr(made, "elt", None), "id", "") == listing.name.id]
            found |= dict.fromkeys((listing.taken, listing.name, *rows), _beginning(loop, listing))
    return found


def _beginning(loop: Loop, listing: Listing) -> str:
    for test in loop.tests:
        match test:
            case ast.Call(func=ast.Attribute(ast.Name(asked), "startswith"), args=[ast.Constant(str(prefix))]):
                if asked == listing.name.id:
                    return prefix
    return ""


def listing_of(loop: Loop) -> Listing | None:
    """Return the listing that a loop goes through, None for a loop over something else."""
    match loop.iterated, loop.target:
        case ast.Call(func=ast.Attribute(taken, "items"), args=[], keywords=[]), ast.Tuple([ast.Name() as name, value]):
            match taken:
                case ast.Call(func=ast.Name("vars"), args=[module], keywords=[]) | ast.Attribute(module, "__dict__"):
                    return Listing(taken, module, name, value)
        case ast.Call(func=ast.Name("dir"), args=[module], keywords=[]) as taken, ast.Name() as name:
            return Listing(taken, module, name, None)
        case ast.Call(args=[module, *_], keywords=[]) as taken, ast.Tuple([ast.Name() as name, value]):
            return Listing(taken, module, name, value) if last_name(taken.func) in MEMBERS_OF else None
    return None


def _conditions(tests: list[ast.expr]) -> Iterator[ast.expr]:
    """Yield what has to be true, one after the other."""
    for test in tests:
        yield from test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _refuses(test: ast.expr, variable: str, names: Iterable[str]) -> bool:
    """Whether a test of a variable is false for some names, and for every one that is not of C."""
    match test:
        case ast.BoolOp(ast.Or(), parts):
            return all(_refuses(part, variable, names) for part in parts)
        case ast.Call(func=ast.Attribute(ast.Name(asked), "startswith"), args=[ast.Constant(str(prefix))], keywords=[]):
            return asked == variable and prefix.startswith(_OF_C) and not any(name.startswith(prefix) for name in names)
        case ast.Compare(ast.Name(asked), [ast.Eq()], [ast.Constant(str(wanted))]):
            return asked == variable and wanted in _CODES
    return False


def _is_type_test(test: ast.expr, of: str = "") -> bool:
    """Whether a test asks whether something is an int: the variable `of`, if that is given."""
    match test:
        case ast.Call(func=ast.Name("isinstance"), args=[ast.Name(tested), ast.Name("int")], keywords=[]):
            return of in ("", tested)
    return False
