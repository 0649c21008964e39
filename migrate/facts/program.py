"""Everything that a rule or the decision may ask about a program, as methods of one class."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from migrate.facts.called_back import CalledBack
from migrate.facts.choices import given_at, parts
from migrate.facts.comparisons import with_items
from migrate.facts.dispatched import is_dispatched
from migrate.facts.elsewhere import Elsewhere
from migrate.facts.endings import Endings
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import CAUGHT, OldApi
from migrate.facts.identities import Identities, Identity
from migrate.facts.introspection import NAMES, Introspection
from migrate.facts.libraries import Cause, OpenedLibraries
from migrate.facts.likely import Likely
from migrate.facts.looked_up import LookedUp
from migrate.facts.lookups import Lookups
from migrate.facts.module_values import ModuleValues
from migrate.facts.name_tables import NameTables
from migrate.facts.obstacles import Obstacle, Obstacles
from migrate.facts.old_sources import has_old_source
from migrate.facts.patches import Patches
from migrate.facts.preceding import Preceding
from migrate.facts.presence import Presence
from migrate.facts.quoted_names import QuotedNames
from migrate.facts.reaching import Reaching
from migrate.facts.references import Reference, References
from migrate.facts.results import Results
from migrate.facts.seen_bytes import SeenBytes
from migrate.facts.texts import Texts
from migrate.facts.tokens import Data, Handle, Symbol, handles_among, symbols
from migrate.facts.told_apart import ToldApart
from migrate.facts.type_comments import type_comments
from migrate.facts.unread import is_first_read
from migrate.facts.unseen import annotated_kinds, unseen_handles
from migrate.facts.views import Views
from migrate.old_api.accounts import accounted
from migrate.old_api.calls import Call
from migrate.old_api.generations import vocabulary_of
from migrate.old_api.traces import left_lines
from migrate.old_api.vocabulary import Function, Vocabulary
from migrate.python.modules import Project
from migrate.python.scopes import Kind, Variable
from migrate.python.source import Source
from migrate.python.values import Collection, Instance, Plain, Token, Value, Values

__all__ = ["Facts", "Obstacle", "Reference"]

_NO_FLAGS = "DOCA_CC_MSG_FLAG_NONE"
_TABLES = frozenset({"kwargs", "kwds", "keywords"})  # of keywords for what is called later
_COMPARING = frozenset({"min", "max"})  # their arguments with each other
_DEPTH = 5  # choices of choices


class Facts:
    """The facts of a project. Nodes belong to the files' trees; all answers are about the whole project.

    references: of the files that are given, in the order of paths and text; other_references: of the rest.
    calls: the old calls, by their node. vocabulary: of the old API that the files name.
    name_tables: the module, where the program takes the names of result codes from it -> the expression that does.
    source_readers: files that read their own source. shown_numbers: the constants that are shown as numbers.
    tested_away: the classes that tests of types have from elsewhere.
    """

    def __init__(
        self,
        sources: Mapping[Path, Source],
        given: frozenset[Path],
        vocabulary: Vocabulary | None = None,
        causes: Mapping[Path, Cause] = MappingProxyType({}),
        seen: Mapping[Variable, Sequence[Token]] = MappingProxyType({}),
        of_c: Set[Path] = frozenset(),
    ) -> None:
        """causes: why files that call C stay as they are. seen: the handles that unknown variables have in runs.

        of_c: the files that called C, and stand here as flat ones.
        """
        self._of_c = of_c
        vocabulary = self.vocabulary = vocabulary or vocabulary_of(sources.values())
        self.project = Project(
            {path: source.tree for path, source in sources.items()},
            {path: source.names for path, source in sources.items()},
        )
        self.names = {path: self.project.names(path) for path in sorted(sources)}
        self.controls = {path: source.control for path, source in sources.items()}
        self._held: dict[ast.expr, frozenset[Hashable]] = {}
        forest = self._forest = Forest(self.names)
        types = [(path, *found) for path, source in sources.items() for found in type_comments(source)]
        # Such a comment of an earlier run says that a file had to do with the old API.
        left = {path: lines for path, source in sources.items() if (lines := left_lines(source.text))}
        marked = left.keys()
        may_be_old = bool(marked) or has_old_source(forest)
        noted = annotated_kinds(forest, vocabulary, [found[1:] for found in types]) if may_be_old else {}
        unseen = unseen_handles(forest, vocabulary, noted)
        annotated = frozenset(argument for argument, kinds in noted.items() if len(kinds) == 1)
        unseen = {argument: kind for argument, kind in unseen.items() if forest.of(argument).of[argument] not in seen}
        api = self._api = OldApi(vocabulary, unseen)
        values = self.values = Values(self.project, api, unseen=api.parameter, annotated=annotated, seen=seen)
        aliases = cache(lambda path: frozenset(self._aliases(path)))
        quoted = self._quoted = QuotedNames(forest, values, api, self.project)
        texts = Texts(forest, vocabulary, Lookups(forest, values), aliases, quoted)
        patches = Patches(forest, values, self.project, vocabulary)
        told = ToldApart(forest, values, Views(values, vocabulary.views))
        introspection = self._introspection = Introspection(forest, values, api, told, quoted)
        self.source_readers, self.shown_numbers = introspection.readers, introspection.numbers
        tables = NameTables(forest, values, vocabulary)
        self.name_tables = tables.of_module
        modules = ModuleValues(forest, values, tables)
        references = References(
            forest,
            values,
            api,
            self.project,
            texts,
            patches,
            introspection,
            modules,
            told,
            tables,
            given,
            self.controls,
        )
        self.calls, self.texts, self.tested_away = references.calls, references.texts, references.tested.keys()
        references.found = OpenedLibraries(forest, values, self.project, texts, causes).explained(references.found)
        self._identities = Identities(forest, values, api, references, self.shown_numbers)
        naming = {reference.path for reference in references.found} | marked if may_be_old else set()
        keys = frozenset(token.key for token in values.tokens)
        named = frozenset(reference.name for reference in references.found)
        likely = Likely(forest, values, api, keys, named, self.project, naming, left)
        self._obstacles = Obstacles(forest, values, api, references, likely, given, modules, told)
        self._reaching = Reaching(forest, values, self.controls)
        self._presence = Presence(forest, values, self.controls, self.calls)
        self._results = Results(forest, values, api, self._reaching, self._presence, self.calls)
        self._endings = Endings(forest, values, self.controls, self.calls, references.found, api.reached)
        self._called_back = CalledBack(forest, values, self.calls)
        self._preceding: dict[str, Preceding] = {}  # by the function
        elsewhere = Elsewhere(forest, values, self.project)
        received: frozenset[Value] = frozenset({Token(Data()), Plain.NONE})
        self._expressions = Expressions(forest, values, received, vocabulary, elsewhere.variable)
        self._seen_bytes = SeenBytes(forest, values, self._expressions, elsewhere.variable)
        comments = [
            Reference(path, forest.attach(path, comment, statement), str(comment.value))
            for path, comment, statement in types
            if texts.is_named(path, comment.value)
        ]
        found = [*references.found, *likely.found, *comments]
        ordered = sorted(found, key=_order)
        self.references: Sequence[Reference] = [reference for reference in ordered if reference.path in given]
        self.other_references: Sequence[Reference] = [reference for reference in ordered if reference.path not in given]

    @cached_property
    def looked_up(self) -> LookedUp:
        """What the files look up in each other beside the references."""
        found = (*self.references, *self.other_references)
        known = {node for reference in found for node in _chain(reference.node)}
        return LookedUp(self._forest, self.values, self.project, known)

    def calls_in(self, path: Path) -> Sequence[ast.Call]:
        """Return the calls in a file, of whatever is called, in the order of the text."""
        return self._forest.in_file(path, ast.Call)

    def subscripts_in(self, path: Path) -> Sequence[ast.Subscript]:
        """Return the subscripts in a file, in the order of the text."""
        return self._forest.in_file(path, ast.Subscript)

    def _aliases(self, path: Path) -> Iterator[str]:
        """Yield the names of a file's own that stand for something old."""
        for scope in self.names[path].scopes.values():
            for name, variable in scope.variables.items():
                values = self.values.of_target(variable.bindings[0]) if variable.bindings else frozenset()
                if any(symbols(values)) or handles_among(values):
                    yield name

    # ------------------------------------------------------------------ handles

    def handles(self, node: ast.expr) -> frozenset[Hashable]:
        """Return the origins (creating calls, or parameters) of the handles that an expression can be, or hold."""
        found = self._held.get(node)
        if found is None:
            origins = (origin for handle in self._handles(node) for origin in self._origins(handle))
            found = self._held[node] = frozenset(origins)
        return found

    def kinds(self, node: ast.expr) -> frozenset[str]:
        """Return endpoint, peer, device, representor, devinfo, repinfo, backend; with [] for lists of them."""
        own = {handle.kind for handle in handles_among(self.values.of(node))}
        return frozenset(own | {handle.kind + "[]" for handle in self._handles(node) if handle.kind not in own})

    def is_only(self, node: ast.expr, kind: str) -> bool:
        """Whether an expression can be nothing but a handle of a kind, or None."""
        keys = [getattr(value, "key", None) for value in self.values.of(node) - {Plain.NONE}]
        return all(isinstance(key, Handle) and key.kind == kind for key in keys)

    def is_dispatched(self, node: ast.expr) -> bool:
        """Whether a type chooses a function of functools.singledispatch."""
        return is_dispatched(node, self._forest, self.values)

    def _handles(self, node: ast.expr) -> list[Handle]:
        return handles_among(with_items(node, self.values))

    def _origins(self, handle: Handle) -> frozenset[Hashable]:
        return self._endpoints if handle.origin == CAUGHT else frozenset({handle.origin})

    @cached_property
    def _endpoints(self) -> frozenset[Hashable]:
        """The origins of all endpoints: an exception's connection may be of any of them."""
        keys = (token.key for token in self.values.tokens)
        return frozenset(key.origin for key in keys if isinstance(key, Handle) and key.kind == "endpoint")

    def obstacles(self, origin: Hashable) -> Sequence[Obstacle]:
        """Return what keeps the handles of an origin old."""
        shared = self._obstacles.of(CAUGHT) if origin in self._endpoints else ()
        return [*self._obstacles.of(origin), *shared]

    def calls_on(self, origin: Hashable) -> frozenset[str]:
        """Return the C names of every old call that handles of this origin can reach (role: listen, connect)."""
        return self._calls_on.get(origin, frozenset())

    @cached_property
    def _calls_on(self) -> Mapping[Hashable, frozenset[str]]:
        named: dict[Hashable, set[str]] = {}
        for key, sites in self._api.reached.items():
            function, _ = self._api.function(key)
            for origins in sites.values():
                for origin in origins if function else ():
                    named.setdefault(origin, set()).add(function.name if function else "")
        return {origin: frozenset(names) for origin, names in named.items()}

    def functions(self, node: ast.expr) -> list[Function]:
        """Return the flat functions that an expression can be."""
        found = (self._api.function(symbol) for symbol in symbols(self.values.of(node)))
        return [function for function, is_flat in found if function is not None and is_flat]

    def sites(self, function: str) -> Mapping[ast.AST, Set[Hashable]]:
        """Return where a function may be called, with the origins of the handles in each call."""
        found: dict[ast.AST, set[Hashable]] = {}
        for key, sites in self._api.reached.items():
            called, _ = self._api.function(key)
            if called is not None and accounted(called.name) == function:
                for node, origins in sites.items():
                    found.setdefault(node, set()).update(origins)
        return found

    def may_have_flags(self, function: ast.expr) -> bool:
        """Whether a call of a function that is used as a value may give it flags."""
        keys = (value.key for value in self.values.of(function) if isinstance(value, Token))
        return any(key in self._api.flagged for key in keys)

    def is_first_read(self, callback: ast.expr) -> bool:
        """Whether a function that an expression can be does something with its first argument."""
        return is_first_read(callback, self._forest, self.values)

    def flagged_with(self, reference: Reference) -> frozenset[Hashable]:
        """Return the origins of the handles in calls that get a flag from a place which would only be a number."""
        is_given = isinstance(self.parent(reference.node), ast.Call | ast.keyword)
        return frozenset() if reference.name != _NO_FLAGS or is_given else self._flagged

    @cached_property
    def _flagged(self) -> frozenset[Hashable]:
        found = frozenset[Hashable]()
        for node, call in self.calls.items():
            flags = call.arguments.get("flags")
            if flags is not None and Symbol(_NO_FLAGS) in symbols(self.values.of(flags)):
                is_followed = self._expressions.constant(flags) is not None and self._expressions.only_value(flags)
                found |= frozenset() if is_followed else self.handles(node.func).union(*map(self.handles, node.args))
        return found

    def keywords_given(self, node: ast.expr, function: str) -> frozenset[str | None]:
        """Return the keywords that calls may give a function which is used as a value, None for some that are unseen.

        What holds it, or is given it, may pass them on: `partial(function, name=...)`, `Thread(..., kwargs=table)`.
        """
        tokens = (value for value in self.values.of(node) if isinstance(value, Token))
        uses = {node, *(use for token in tokens for use in self.values.used(token))}
        around = {self._forest.parents[use] for use in uses}
        calls = [site for site in {*around, *self.sites(function)} if isinstance(site, ast.Call)]
        given = {keyword.arg for call in calls for keyword in call.keywords}
        return frozenset(given - _TABLES | {None} if given & _TABLES else given)

    def may_be_ended_again(self, function: str, reference: Reference) -> bool:
        """Whether a function that is used as a value is called in several places, or its handle is ended elsewhere."""
        sites = [site for site, ended in self.sites(function).items() if ended & reference.origins]
        return len(sites) > 1 or self._endings.may_end_again(reference)

    def is_class_attribute(self, node: ast.expr) -> bool:
        """Whether what an expression is stands in an attribute of a class, too, where a function becomes a method."""
        tokens = (value for value in self.values.of(node) if isinstance(value, Token))
        return any(self._is_of_class(use, token) for token in tokens for use in self.values.used(token))

    def _is_of_class(self, node: ast.expr, token: Token) -> bool:
        if isinstance(node, ast.Attribute):
            owners = (value for value in self.values.of(node.value) if isinstance(value, Instance))
            return any(token not in self.values.fields.get((owner.node, node.attr), ()) for owner in owners)
        names = self._forest.of(node).of
        return isinstance(node, ast.Name) and node in names and names[node].scope.kind is Kind.CLASS

    def asked_name(self, node: ast.expr) -> ast.Attribute | None:
        """Return the expression that asks a class of the old module, which is named here, for its name."""
        asked = self._forest.parents[node]
        if not isinstance(asked, ast.Attribute) or asked.attr not in NAMES:
            return None
        named = symbols(self.values.of(node))
        return asked if any(self._introspection.is_spelled(node, symbol) for symbol in named) else None

    def old_name(self, node: ast.AST, part: ast.expr) -> str | None:
        """Return the old name that a name in a text means where the text stands, "" for the old module."""
        return self._quoted.old_name(node, part)

    def is_quoted_type(self, node: ast.AST) -> bool:
        """Whether a text is a type, or a part of one, that is no annotation."""
        return self._quoted.is_type(node)

    # ------------------------------------------------------------------ lifetimes and results

    def may_be_none(self, node: ast.expr) -> bool:
        """Whether a handle expression may be None, or anything else but a handle, where it stands."""
        return self._presence.may_be_none(node)

    def is_called_back(self, node: ast.AST) -> bool:
        """Whether an expression may be evaluated inside a callback of the old library."""
        return self._called_back.may_run(node)

    def may_come_after(self, node: ast.AST, function: str, origin: Hashable) -> bool:
        """Whether a call of a function may have been given the handle of an origin before an expression is done."""
        if function not in self._preceding:
            self._preceding[function] = Preceding(self._forest, self.values, self.controls, self.sites(function))
        return self._preceding[function].may_precede(node, origin)

    def is_seen_none(self, node: ast.expr) -> bool:
        """Whether None is among the values that an expression is seen to have; others may be unseen."""
        return Plain.NONE in self._reaching.of(node)

    def may_still_be_none(self, node: ast.expr) -> bool:
        """Whether None is among them, and nothing keeps it from where the expression stands.

        A condition does, and so does a comparison: `min(size, 2048)`.
        """
        is_compared = isinstance(node, ast.Call) and last_name(node.func) in _COMPARING and len(node.args) > 1
        return self.is_seen_none(node) and not is_compared and self._presence.may_be_none(node)

    def is_seen_bytes(self, node: ast.expr) -> bool:
        """Whether bytes are among the values that an expression is seen to have; others may be unseen."""
        return self._seen_bytes.include(node)

    def may_be_closed(self, node: ast.expr) -> bool:
        """Whether the handle may have been destroyed, closed or freed before this place."""
        return self._endings.may_be_closed(node)

    def code_is_observed(self, call: Call) -> frozenset[str]:
        """Return how a call's result code or exception is looked at beyond success and failure.

        A set of: names of codes it is compared with ("AGAIN", "NOT_CONNECTED", ...), "value" (printed, returned to the
        shell, arithmetic), "name" (its name is asked for), "text" (an exception's str is compared or parsed),
        "printed" (a text is shown), "class" (a code's type is asked).
        """
        return self._results.observed(call)

    def calls_are_observed(self, function: ast.expr) -> frozenset[str]:
        """Return how the results of all calls of a function are looked at that is used as a value."""
        return self._results.observed_of(function)

    def identity(self, reference: Reference) -> Identity | None:
        """Return the comparisons by identity of a code, state, counter or flag that a reference brings."""
        return self._identities.of.get(reference)

    # ------------------------------------------------------------------ expressions

    def was_c(self, node: ast.AST) -> bool:
        """Whether a node is of a file that called C, which converts what it is given."""
        return self.values.path(node) in self._of_c

    def is_cell(self, node: ast.expr) -> bool:
        """Whether an expression reads the one item of a list, which stands for a variable that C fills in."""
        if not isinstance(node, ast.Subscript) or self.constant(node.slice) != 0 or not self.is_simple(node.value):
            return False
        made = [value.node if isinstance(value, Collection) else None for value in self.values.of(node.value)]
        return bool(made) and all(isinstance(each, ast.List) and len(each.elts) == 1 for each in made)

    def constant(self, node: ast.expr) -> object | None:
        """Return the value of an expression that is the same whenever it is evaluated, else None."""
        number = self._expressions.number(node)
        return self._expressions.constant(node) if number is None else number

    def choices(self, node: ast.expr, depth: int = _DEPTH) -> list[object]:
        """Return every constant that an expression can be; nothing where it may be something else."""
        value = self.constant(node)
        if value is not None:
            return [value]
        behind = parts(node, self._forest, self._expressions, self.values) if depth else ()
        found = [self.choices(part, depth - 1) for part in behind]
        return [value for values in found for value in values] if all(found) else []

    def choices_given(self, function: str, index: int) -> list[object]:
        """Return every constant that calls give a function of the flat module at a place; nothing if one is unseen."""
        given = [given_at(site, index) for site in self.sites(function)]
        found = [self.choices(node) if node else [] for node in given]
        is_seen = all(found) and Token(Symbol(function)) not in self.values.sinks
        return [value for values in found for value in values] if is_seen else []

    def is_bytes(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression is certainly bytes, bytearray or a memoryview of single bytes."""
        if self._expressions.is_bytes(node):
            return True
        behind = parts(node, self._forest, self._expressions, self.values) if depth else ()
        return bool(behind) and all(self.is_bytes(part, depth - 1) for part in behind)

    def is_simple(self, node: ast.expr) -> bool:
        """Whether evaluating it has no effect and may be done earlier or later within its statement."""
        call = self.calls.get(node) if isinstance(node, ast.Call) else None
        if call is not None and call.signature.is_view and call.receiver is not None:
            return self.is_simple(call.receiver)
        return self._expressions.is_simple(node)

    def is_fixed(self, node: ast.expr) -> bool:
        """Whether an expression means the same when it is evaluated later, after its statement."""
        return self._expressions.is_fixed(node)

    def is_builtin(self, name: ast.Name) -> bool:
        """Whether a name is Python's own there (len, getattr), not the program's."""
        return self._expressions.is_builtin(name)

    def has_builtin(self, node: ast.AST, name: str) -> bool:
        """Whether a name that is written where a node stands is Python's own, not the program's."""
        return self._expressions.has_builtin(node, name)

    def parent(self, node: ast.AST) -> ast.AST:
        """Return the node above."""
        return self._forest.parents[node]

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Iterate over the nodes around a node, innermost first."""
        return self._forest.above(node)

    def is_statement(self, node: ast.expr) -> bool:
        """Whether an expression is a whole expression statement: its value is not used."""
        return self._expressions.is_statement(node)

    def is_awaited_or_generator_scope(self, node: ast.expr) -> bool:
        """Whether a lambda around the expression would change what it means (await, yield, :=, class scope)."""
        return self._expressions.is_awaited_or_generator_scope(node)

    def fresh(self, node: ast.AST, *wanted: str) -> str:
        """Return the first of some names that neither the scope of a node nor any scope around or in it uses."""
        return self._expressions.fresh(node, *wanted)


def _order(reference: Reference) -> tuple[Path, int, int]:
    node: Any = reference.node
    return reference.path, node.lineno, node.col_offset


def _chain(node: ast.AST | None) -> Iterator[ast.AST]:
    """Iterate over an expression and what it is an attribute or a result of."""
    while node is not None:
        yield node
        node = getattr(node, "value" if isinstance(node, ast.Attribute) else "func", None)
