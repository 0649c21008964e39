"""Imports comch_next where the old modules were imported, so that it is bound exactly when and where they were.

Each old import becomes the new one where it stands, and whatever was reached through a name that it binds is reached
through the new one's name: the two are bound on the same paths, whatever the program does. A name that is more than
a prefix (`del cc`, `cc is None`, `global cc`, `__all__`, taken by another file) keeps its spelling.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType

from migrate.python.control import Bound
from migrate.python.listing import displays, listed
from migrate.python.scopes import Names, Scope, Variable
from migrate.python.source import Source
from migrate.text._deleted import under_own_names
from migrate.text._namer import Namer, is_modern, modern_imports
from migrate.text._uses import is_covered, is_guarded, is_read_by, quoted, root_of, shared_name
from migrate.text.code import Edits, Template, verbatim
from migrate.text.import_lines import Import, at_top, block_of, import_line, joined, reexport
from migrate.text.listing import without
from migrate.text.pieces import Change
from migrate.text.render import Trouble


@dataclass(frozen=True)
class Old:
    """What an alias brings: from the old API itself (direct), or from a file of the project that has it.

    new: the name in comch_next that may be imported in its place, where it is the same thing. stays: where it comes
    from keeps it old. inert: where it comes from does nothing when it is imported, so that the import may go.
    """

    module: bool
    direct: bool
    new: str = ""
    stays: bool = False
    inert: bool = False


def _position(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


class Imports:
    """Plans the imports of one file.

    old: the aliases that bring old names. edits: what will change. stays: nodes of references that stay old.
    exported: names that other files take from this one, and whether for something old. taken: the text of the new
    module at edited nodes that do not have it from an import. internal: whether nobody else takes what `__all__` has.
    lost: the names in it that the files lose which this one has them from, by a star. clashes: names that would hide
    those of other files, which have star imports of this one.
    """

    def __init__(
        self,
        source: Source,
        names: Names,
        old: Mapping[ast.alias, Old],
        edits: Edits,
        stays: Set[ast.AST],
        exported: Mapping[str, bool],
        taken: Mapping[ast.AST, str] = MappingProxyType({}),
        *,
        internal: bool = False,
        lost: Set[str] = frozenset(),
        clashes: Set[str] = frozenset(),
    ) -> None:
        self.source = source
        self.names = names
        self.old = dict(old)
        self.edits = edits
        self.stays = stays
        self.exported = exported
        self.added: Change | None = None
        self.troubles: list[Trouble] = []
        self._taken = taken
        self._fixed = dict(taken)  # uses that have a name which stays
        self._guarded: list[ast.AST] = []  # uses that are only reached when an import has succeeded
        self._adds = False  # whether a use finds no import, so that the file gets one more
        self._namer = Namer(names, clashes)
        self._needy: dict[ast.stmt, Scope] = {}  # statements that bring the new module into a scope
        self._aliases: dict[Variable, list[ast.alias]] = {}
        self._first: dict[ast.AST, ast.stmt | None] = {}
        self._used: set[Variable | None] = set()  # those that an edit names, in quotes too
        self._stars = [alias for alias in old if alias.name == "*"]
        for alias in old:
            if alias.name != "*":
                self._aliases.setdefault(names.of[alias], []).append(alias)
        self.withdrawn: frozenset[str] = frozenset()  # what goes from `__all__`
        self._find_named()
        if given := listed(names).keys():
            self._settle_listing(given, internal, lost)
        self._keep_own()
        self._find_homes()
        self.statements = dict(self._edit_statements())

    def name(self, node: ast.AST) -> str:
        """Return the name of the new module at an edited node."""
        return self._fixed[node] if node in self._fixed else self._namer.name(node)

    def assured(self) -> frozenset[str]:
        """Return the names of the new module that are bound where a handle is, on whatever path."""
        return frozenset(map(self.name, self._guarded))

    def unused(self) -> list[ast.alias]:
        """Return the old imports of names that go, and that the file itself does not read."""
        unread = (variable for variable in self._aliases.keys() - self._named - self._used if not variable.loads)
        aliases = (alias for it in unread if it.name not in self.withdrawn for alias in self._aliases[it])
        return [alias for alias in aliases if not self.remains(alias)]

    def dropped(self) -> list[ast.alias]:
        """Return the imports from files of the project that go."""
        return [alias for alias, old in self.old.items() if not old.direct and not self.remains(alias)]

    def loses(self, name: str) -> bool:
        """Whether an import of something old brought a name to the module, and nothing does any more."""
        variable = self.names.module.variables.get(name)
        if variable is None or not variable.bindings:
            return name in self.withdrawn or (bool(self._stars) and not self._star_stays)
        aliases = self._aliases.get(variable, [])
        return bool(aliases) and variable not in self._named and not any(map(self.remains, aliases))

    # ------------------------------------------------------------------ what becomes of a name

    def _find_named(self) -> None:
        """Find the variables that something old reads, and those whose spelling matters."""
        self._old = {variable for variable in self._aliases if self._is_old(variable)}
        self._named = {variable for variable in self._aliases if self._is_named(variable)} - self._old
        self._star_stays = self._keeps_star()
        self._settle()

    def _is_free(self, name: str) -> bool:
        """Whether nothing but `__all__` needs the old thing that a name of the module stands for."""
        variable = self.names.module.variables.get(name)
        if name in self.exported:
            return False
        if variable is None or not variable.bindings:
            return len(self._stars) == len(self.names.module.stars) > 0 and not self._star_stays
        aliases = self._aliases.get(variable, [])
        same = any(self.old[alias].module or self.old[alias].new for alias in aliases)
        return bool(aliases) and not same and not any(map(self.remains, aliases))

    def _settle_listing(self, given: Set[str], internal: bool, lost: Set[str]) -> None:
        """Take the names out of `__all__` that are free or lost; others may take the rest."""
        free = filter(self._is_free, given) if internal else ()
        self.withdrawn = frozenset(free) | (given & lost)
        self.exported = {**dict.fromkeys(given - self.withdrawn, False), **self.exported}
        self._find_named()
        if self.withdrawn:
            expressions = dict(self.edits.expressions)
            for display in displays(self.names):
                expressions[display] = without(self.source, display, self.withdrawn)
            self.edits = self.edits._replace(expressions=expressions)

    def _is_old(self, variable: Variable) -> bool:
        """Whether something that stays old reads a variable."""
        if variable.scope is self.names.module and self.exported.get(variable.name):
            return True
        return any(self.old[alias].stays for alias in self._aliases[variable]) or is_read_by(
            self.names, variable, self.stays
        )

    def _is_named(self, variable: Variable) -> bool:
        """Whether the spelling of a variable matters beyond the uses that change."""
        told = variable.scope is self.names.module and variable.name in self.exported
        others = self._has_others(variable) or isinstance(variable.scope.node, ast.ClassDef)  # an attribute, too
        if told or others or variable.deletions:
            return True
        declared = any(isinstance(node, ast.Global | ast.Nonlocal) for node in variable.declarations)
        return declared or not all(is_covered(load, self.names, self.edits) for load in variable.loads)

    def _has_others(self, variable: Variable) -> bool:
        """Whether a variable may have something else than what old imports bring, such as a fallback."""
        return any(binding not in self.old for binding in variable.bindings)

    def _keeps_star(self) -> bool:
        """Whether a name that a star brings stays old, or other files take one."""
        bound = self.names.module.variables
        taken = (name for name in self.exported if name not in bound or not bound[name].bindings)
        kept = any(self.old[alias].stays for alias in self._stars)
        return kept or any(map(self._is_starred, self.stays)) or any(taken)

    def _is_starred(self, node: ast.AST) -> bool:
        """Whether a name may be what a star has brought: nothing else binds it, or not on every path."""
        if not isinstance(node, ast.Name):
            return False
        variable = self.names.of[node]
        own = variable.scope is not self.names.module or variable in self._aliases
        return not variable.bindings or (not own and self.source.control.bound(node) is not Bound.ALWAYS)

    def remains(self, alias: ast.alias) -> bool:
        """Whether an alias stays in its statement."""
        return alias not in self.old or alias in self._remaining

    def _settle(self) -> None:
        """Find what stays of each statement, and the statements whose modules are imported before them, and stay so."""
        self._remaining: set[ast.alias] = set()
        self._loaded: set[ast.stmt] = set()
        whole = set(self.names.tree.body)
        imported: set[tuple[int, str | None]] = set()
        for _, line in groupby(self.names.imports, key=lambda statement: statement.lineno):
            statements = list(line)
            taking = (it for it in statements if isinstance(it, ast.ImportFrom))
            self._loaded.update(it for it in taking if (it.level, it.module) in imported)
            for statement in statements:
                self._remaining.update(self._staying(statement))
                imported.update(self._modules(statement) if statement in whole else ())

    def _staying(self, statement: Import) -> Iterator[ast.alias]:
        """Iterate over the old aliases that stay in a statement."""
        alone = all(alias in self.old for alias in statement.names)
        is_needed = alone and statement not in self._loaded and not self._module_line(statement)
        for alias in statement.names:
            old = self.old.get(alias)
            if old is not None and self._stays(alias, old, is_needed=is_needed):
                yield alias

    def _stays(self, alias: ast.alias, old: Old, *, is_needed: bool) -> bool:
        """Whether an old alias stays; is_needed: nothing else would import what its statement does."""
        if alias.name == "*":
            return self._star_stays or not old.direct
        variable = self.names.of[alias]
        if variable in self._old or not old.direct:
            return variable in self._old or variable in self._named or (is_needed and not old.inert)
        return variable in self._named and not old.module and not old.new

    def _modules(self, statement: Import) -> Iterator[tuple[int, str | None]]:
        """Iterate over the modules that a statement imports, and still does: each as what one takes names from."""
        if isinstance(statement, ast.Import):
            yield from ((0, alias.name) for alias in statement.names)
        elif any(map(self.remains, statement.names)):
            yield statement.level, statement.module

    # ------------------------------------------------------------------ where each use finds the new module

    def _keep_own(self) -> None:
        """Import under its own name what a name stands for in comch_next if `del` unbinds it or it has a fallback."""
        modules = {self.names.of[alias] for alias, old in self.old.items() if old.module and alias in self.names.of}
        own = {variable for variable in self._named - modules if variable.deletions or self._has_others(variable)}
        self.edits, taken, refused = under_own_names(self.edits, self.names, own)
        self.troubles += refused
        for variable, new in taken.items():
            self.old.update({alias: replace(self.old[alias], new=new) for alias in self._aliases[variable]})
        self._settle()

    def _find_homes(self) -> None:
        templates: list[tuple[ast.expr | ast.stmt, Template]] = [*self.edits.expressions.items()]
        templates += [*self.edits.statements.items(), *self.edits.comments.items()]
        uses = [node for node, template in templates if "{comch}" in template.text and self.is_shown(node)]
        for node in sorted(set(uses) - self._fixed.keys(), key=_position):
            root = root_of(node)
            variable = self.names.of.get(root) if root else quoted(self.names, node, self._aliases.keys())
            self._used.add(variable)
            if variable in self._aliases and not self._may_be_starred(variable):
                self._anchor(node, variable, self._aliases[variable])
            elif isinstance(root, ast.Name) and not self.names.of[root].bindings and self._stars:
                self._home(node, self.names.module, self._stars)
            else:
                self._find_home(node)
        self._namer.choose()
        self._declare()

    def is_shown(self, node: ast.AST) -> bool:
        """Whether no edit around an edited node drops it."""
        return (
            isinstance(node, ast.stmt)
            or node in self.edits.comments
            or not is_covered(node, self.names, self.edits, itself=False)
        )

    def _may_be_starred(self, variable: Variable) -> bool:
        """Whether a star import may bind a variable where its own imports are not reached."""
        if variable.scope is not self.names.module or not variable.scope.stars:
            return False
        return all(self.names.statement(alias) not in self.names.tree.body for alias in self._aliases[variable])

    def _anchor(self, node: ast.AST, variable: Variable, aliases: list[ast.alias]) -> None:
        """Let a use have the name of the variable that it was reached through, or one that is bound beside it."""
        modules = all(self.old[alias].module for alias in aliases)
        if variable in self._named and modules:
            self._fixed[node] = variable.name
        else:
            self._home(node, variable.scope, aliases)

    def _home(self, node: ast.AST, scope: Scope, aliases: Iterable[ast.alias]) -> None:
        self._namer.use(node, scope)
        for alias in aliases:
            self._needy[self.names.statement(alias)] = scope

    def _find_home(self, node: ast.AST) -> None:
        """Let a use that names nothing old find an import that comes before it on every path, or add one."""
        inner: ast.AST = node
        for place in self.names.above(node):
            if isinstance(place, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
                statement = self._first_import(place)
                if statement and isinstance(inner, ast.stmt) and _position(statement) < _position(inner):
                    scope = self.names.scopes[place]
                    self._namer.use(node, scope)
                    if self._is_replaced(statement):
                        self._needy[statement] = scope
                    return
            inner = place
        guarded = next((it for it in self._aliases if is_guarded(self.names, it)), None)
        if guarded is not None:  # the node has a handle, so that the import has succeeded
            self._anchor(node, guarded, self._aliases[guarded])
            self._guarded.append(node)
        elif self._taken:  # nobody knows whether the import may fail
            self._share(node)
        else:
            self._namer.use(node, self.names.module)
            self._adds = True

    def _share(self, node: ast.AST) -> None:
        """Let a use have the name of a variable of the module that others take the new module from."""
        if name := shared_name(self.names, node, self._taken.values()):
            self._fixed[node] = name
            self._guarded.append(node)
        else:
            self.troubles.append(Trouble(node, "CCM042"))

    def _first_import(self, place: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt | None:
        """Return the first statement of a body that imports comch_next, or will."""
        if place not in self._first:
            self._first[place] = next(filter(self._brings, place.body), None)
        return self._first[place]

    def _brings(self, statement: ast.stmt) -> bool:
        """Whether a statement imports comch_next, or will."""
        if isinstance(statement, ast.Import) and any(is_modern(self.names, alias) for alias in statement.names):
            return self._namer.existing(self.names.scope(statement)) != ""
        return self._is_replaced(statement)

    def _is_replaced(self, statement: ast.stmt) -> bool:
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            return False
        bound = [alias for alias in statement.names if alias in self.old and self.old[alias].direct]
        here = self.names.scope(statement)
        return bool(bound) and all(alias.name == "*" or self.names.of[alias].scope is here for alias in bound)

    # ------------------------------------------------------------------ the statements

    def _declare(self) -> None:
        """Let `global` name the new module where it named what an import in the same function bound."""
        self._globals: dict[ast.stmt, str] = {}
        for statement, scope in self._needy.items():
            aliases = [alias for alias in getattr(statement, "names", []) if alias in self.old]
            for alias in aliases:
                nodes = self.names.of[alias].declarations if alias.name != "*" else []
                for node in nodes:
                    if self.names.function(node) is self.names.function(statement):
                        self._globals[node] = self._namer.of[scope]  # type: ignore[index]
                        if isinstance(node, ast.Nonlocal):
                            self.troubles.append(Trouble(alias, "CCM042"))

    def _edit_statements(self) -> Iterator[tuple[ast.stmt, Template]]:
        if self._adds:
            self.added = at_top(self.source, import_line(self._namer.of[self.names.module]))
        for node, name in self._globals.items():
            assert isinstance(node, ast.Global | ast.Nonlocal)
            yield node, Template(f"global {', '.join([*node.names, name])}")
        seen: dict[ast.AST, set[str]] = {}
        made: dict[tuple[ast.AST, str], ast.stmt] = {}
        statements = {self.names.statement(alias) for alias in self.old}
        for statement in sorted(statements | modern_imports(self.names), key=_position):
            assert isinstance(statement, ast.Import | ast.ImportFrom)
            brought = seen.setdefault(block_of(statement, self.names), set())
            if statement not in statements:
                lines = [import_line(alias.asname or alias.name) for alias in statement.names]
                old = [made.get((block_of(statement, self.names), line)) for line in lines]
                if all(it and self._are_imports_between(it, statement) for it in old):
                    yield statement, Template("")  # an old one has become it
                brought.update(lines)
                continue
            there = brought | self._brought_above(statement, seen)
            lines = [line for line in dict.fromkeys(self._new_lines(statement)) if line not in there]
            brought.update(kept := [line for line in lines if not self._unbinds(statement)])
            made |= {(block_of(statement, self.names), line): statement for line in kept}
            if self.added is not None and statement in self.names.tree.body and self._is_added(kept, statement):
                self.added = None
            remaining = [alias for alias in statement.names if self.remains(alias)]
            if lines or len(remaining) < len(statement.names):
                yield statement, verbatim(joined(self.source, statement, lines, remaining))

    def _are_imports_between(self, first: ast.stmt, last: ast.stmt) -> bool:
        """Whether nothing but imports stands between two statements of a block."""
        statements = (node for node in self.names.parents if isinstance(node, ast.stmt))
        between = (node for node in statements if _position(first) < _position(node) < _position(last))
        return all(isinstance(node, ast.Import | ast.ImportFrom) for node in between)

    def _brought_above(self, statement: Import, seen: Mapping[ast.AST, Set[str]]) -> Set[str]:
        """Return the imports that stand before an `if TYPE_CHECKING:`, for a statement in it: types need no others."""
        block = self.names.parents[statement]
        if not isinstance(block, ast.If) or statement in block.orelse:
            return frozenset()
        if ast.unparse(block.test).rpartition(".")[2] != "TYPE_CHECKING":
            return frozenset()
        before = [self.added] if self.added and self.added.start <= self.source.span(block)[0] else []
        return {change.text.strip() for change in before}.union(seen.get(block_of(block, self.names), ()))

    def _is_added(self, lines: Iterable[str], statement: ast.stmt) -> bool:
        """Whether a statement of the module brings what else were added behind it."""
        assert self.added is not None
        return self.added.text.strip() in lines and self.source.span(statement)[0] < self.added.start

    def _unbinds(self, statement: Import) -> bool:
        """Whether a name of an import is deleted later, so that another import has to bring it again."""
        bound = (alias for alias in statement.names if alias in self.old and alias.name != "*")
        return any(self.names.of[alias].deletions for alias in bound)

    def _module_line(self, statement: Import) -> str:
        """Return the import of the module alone that a statement takes names from, "" where its name is taken."""
        if not isinstance(statement, ast.ImportFrom) or not statement.module:
            return ""
        package, _, last = statement.module.rpartition(".")
        name = last if statement.level else statement.module.partition(".")[0]
        line = (
            f"from {'.' * statement.level}{package} import {last}" if statement.level else f"import {statement.module}"
        )
        return line if self._namer.is_unused(name) else ""

    def _is_kept(self, statement: Import) -> bool:
        """Whether the new module comes in the place of a statement although nothing there uses it.

        Others may take a module by its name, and what stands in a block may be there to fail.
        """
        return isinstance(statement, ast.Import) or statement not in self.names.tree.body

    def _new_lines(self, statement: Import) -> Iterator[str]:
        """Iterate over the imports that come in the place of a statement, or before what remains of it."""
        gone = [alias for alias in statement.names if alias in self.old and not self.remains(alias)]
        named = [alias for alias in gone if alias.name != "*" and self.names.of[alias] in self._named]
        scope = self._needy.get(statement)
        unnamed = any(alias not in named and self.old[alias].direct for alias in gone)
        if scope is None and unnamed and self._is_kept(statement):
            scope = self.names.scope(statement)
        if scope is not None:
            yield import_line(self._namer.of.get(scope) or self._namer.choose_for(scope))
        bound = {alias: self.names.of[alias].name for alias in named}
        yield from (import_line(name) for alias, name in bound.items() if self.old[alias].module)
        taken = {alias: self.old[alias].new for alias in bound if not self.old[alias].module}
        if taken:
            yield reexport(self.source, statement, taken, bound)
        needed = len(gone) == len(statement.names) and statement not in self._loaded
        if needed and not all(self.old[alias].direct or self.old[alias].inert for alias in gone):
            yield self._module_line(statement)  # for what it does
