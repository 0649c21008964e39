"""Every place where a project names the old API: reports count rewritten and refused references against these."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from migrate.facts.choices import passed
from migrate.facts.comparisons import of_kind
from migrate.facts.defaults import Defaults
from migrate.facts.dispatched import is_dispatched
from migrate.facts.feature_tests import FeatureTests
from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import OldApi
from migrate.facts.introspection import Introspection
from migrate.facts.module_values import ModuleValues
from migrate.facts.name_tables import NameTables
from migrate.facts.patches import PATCHED, Patches
from migrate.facts.provenance import Provenance
from migrate.facts.texts import Texts, is_annotation, is_old_word
from migrate.facts.tokens import Code, Handle, Method, Symbol, handles_among, has_symbol, is_handle, modules, symbols
from migrate.facts.told_apart import ToldApart
from migrate.facts.type_tests import TYPE_TESTS, AskedTypes, is_part_of_pattern, tested_away, tested_for
from migrate.facts.unseen import UNSEEN
from migrate.old_api.c_names import is_c_name, is_core
from migrate.old_api.calls import Call, splats
from migrate.old_api.generation_1x import SUFFIX
from migrate.old_api.spellings import flat, objects
from migrate.python._looping import looped
from migrate.python.control import Bound, Control
from migrate.python.modules import Project
from migrate.python.scopes import Kind, Variable
from migrate.python.values import Collection, External, Module, Plain, Token, Value, Values

_GETATTR = External("builtins.getattr")
_OF_CODES = frozenset({Token(Symbol("ErrorCode"))})
OF_C = "CCM007"  # a name of a C library
NOT_OLD, NO_COUNTERPART, SEVERAL_KINDS = "CCM012", "CCM022", "CCM036"
_READS = {"hasattr": "CCM006", "getattr": "CCM005"}


@dataclass(frozen=True, eq=False)
class Reference:
    """One place that names the old API; `call` when it is (the function of) a call.

    code: why it cannot change. origins: of the handles that it is called with, or makes, where it is used as a value.
    module: the expression that has the old module as a value here, itself or what it is taken from.
    shown: the `__name__` that the program asks of the function.
    opened: file and node of the place that opens the C library that the name is of, and why no run settles that.
    replaced: those of the place that replaces the name at run time.
    alike: the same call as a call of the other functions that it may be, on handles of other kinds.
    texts: the names that `getattr` takes here from a handle, where the program puts them together.
    """

    path: Path
    node: ast.AST
    name: str
    call: Call | None = None
    code: str = ""
    origins: frozenset[Hashable] = frozenset()
    module: ast.expr | None = None
    shown: str = ""
    opened: tuple[Path, ast.AST, str] | None = None
    replaced: tuple[Path, ast.AST, str] | None = None
    alike: tuple[Call, ...] = ()
    texts: tuple[str, ...] = ()


class References:
    """Finds the references of all files, in the order of the text; `calls` are the old calls by their node."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        api: OldApi,
        project: Project,
        texts: Texts,
        patches: Patches,
        introspection: Introspection,
        modules: ModuleValues,
        told: ToldApart,
        tables: NameTables,
        given: frozenset[Path],
        controls: Mapping[Path, Control],
    ) -> None:
        self._controls = controls
        self._told, self._given = told, given
        self._forest, self._values, self._api, self._project = forest, values, api, project
        self._texts, self._patches, self._inspected = texts, patches, introspection.inspected
        self._named = introspection.named
        self._modules, self._tables = modules, tables
        self._provenance, self._defaults = Provenance(forest, values, project), Defaults(forest)
        self.tested = tested_away(forest, values, self._provenance.is_name)
        self._asked_types = AskedTypes(forest, values)
        self._features = FeatureTests(forest, values, api.vocabulary)
        self._reached: dict[Symbol | Method, frozenset[Hashable]] = {}
        self.calls: dict[ast.Call, Call] = {}
        self.computed: set[ast.Call] = set()  # where names are put together, all of which are seen
        self.found: list[Reference] = []
        for kind, judge in _JUDGES.items():
            for path, place in forest.nodes(kind):
                self.found += judge(self, path, place)

    def reached(self, key: Symbol | Method) -> frozenset[Hashable]:
        """Return the origins of the handles that a function as a value is called with, or makes, away from its name."""
        if key not in self._reached:
            sites = self._api.reached.get(key, {}).items()
            away = (origins for site, origins in sites if not self._is_spelled(site))
            self._reached[key] = frozenset(origin for origins in away for origin in origins)
        return self._reached[key]

    def _is_spelled(self, site: ast.AST) -> bool:
        """Whether a call names its function, so that it is a reference itself."""
        func = site.func if isinstance(site, ast.Call) else None
        values = self._values.of(func) if isinstance(func, ast.Name | ast.Attribute) else frozenset()
        if has_symbol(values) and func is not None:
            by_import = self._provenance.is_name(func) and not self._provenance.is_passed_on(func)
            return by_import or self._taken(func)[0] is not None
        methods = (value for value in values if isinstance(value, Token) and isinstance(value.key, Method))
        return isinstance(func, ast.Attribute) and any(map(is_handle, self._values.of(func.value))) and any(methods)

    def _keeps(self, origins: Iterator[ast.AST], found: frozenset[Value]) -> bool:
        """Whether a name is the program's own, for an error or a constant that changes where the name is assigned."""
        vocabulary, named = self._api.vocabulary, {*symbols(found)}
        if not {symbol.name for symbol in named} <= vocabulary.errors | vocabulary.constants.keys():
            return False
        changing = (origin for origin in origins if self._forest.path(origin) in self._given)
        return any(named <= {*symbols(self._values.of_target(origin))} for origin in changing)

    def _may_be_imported(self, node: ast.Name, found: frozenset[Value]) -> bool:
        """Whether a name is an old function or class where its import succeeds, and the program's own elsewhere."""
        is_imported = any(isinstance(binding, ast.alias) for binding in self._forest.of(node).of[node].bindings)
        classes = self._api.vocabulary.classes
        return is_imported and any(it.name in classes or self._api.function(it)[0] for it in symbols(found))

    # ------------------------------------------------------------------ imports

    def _alias(self, path: Path, node: ast.alias) -> Iterator[Reference]:
        statement = self._forest.parents[node]
        vocabulary = self._api.vocabulary
        if isinstance(statement, ast.ImportFrom):
            home, name = statement.module or "", node.name
            own = bool(statement.level) or self._project.resolve(path, home) is not None
        else:
            home, name = node.name, ""
            own = self._project.resolve(path, home) is not None
        if own:
            found = self._values.of_target(node)
            if name != "*" and any(symbols(found)) and not self._keeps(self._provenance.brought(path, node), found):
                yield self._imported(path, node, self._features.code(node))
        elif vocabulary.owns(home):
            names = vocabulary.module(home)
            known = names is not None and (not name or name in names | {"*"} or vocabulary.package(f"{home}.{name}"))
            yield self._imported(path, node, self._features.code(node) if known else NOT_OLD)
        elif name and is_old_word(name):
            yield Reference(path, node, name, code=OF_C)

    def _imported(self, path: Path, node: ast.alias, code: str) -> Reference:
        """Give the reference of an import; in a class body it is a value, read as an attribute of anything."""
        if self._forest.of(node).scope(node).kind is not Kind.CLASS:
            return Reference(path, node, node.name, code=code)
        reached = (self.reached(symbol) for symbol in symbols(self._values.of_target(node)) if symbol.name)
        origins = frozenset[Hashable]().union(*reached)
        return Reference(path, node, node.name, code=code or ("CCM009" if origins else ""), origins=origins)

    # ------------------------------------------------------------------ names

    def _name(self, path: Path, node: ast.Name) -> Iterator[Reference]:
        if not isinstance(node.ctx, ast.Load):
            return
        found = self._values.of(node)
        bindings = self._forest.of(node).of[node].bindings
        if has_symbol(found):
            is_name = self._provenance.is_name(node) or self._may_be_imported(node, found)
            if is_name and not self._keeps(self._provenance.origins(node), found):
                yield from self._symbol(path, node, found)
        elif self._provenance.is_starred(node, found):
            return
        elif bindings and self._may_be_starred(path, node):
            yield Reference(path, node, node.id, code="CCM004")
        elif is_c_name(node.id) and not any(map(self._provenance.is_own, bindings)):
            yield Reference(path, node, node.id, code=OF_C)
        elif not bindings and is_core(node.id):
            yield Reference(path, node, node.id, code=NO_COUNTERPART)  # of the C library, not of the old module

    def _may_be_starred(self, path: Path, node: ast.Name) -> bool:
        """Whether a name that the program binds may not be bound yet, and have what a star import of the old brings."""
        names, variable = self._forest.of(node), self._forest.of(node).of[node]
        if variable.scope is not names.module:
            return False
        homes = [star.module or "" for star in names.module.stars if not star.level]
        brought = (self._api.vocabulary.stars.get(home, ()) for home in homes if not self._project.resolve(path, home))
        return any(node.id in given for given in brought) and self._controls[path].bound(node) is not Bound.ALWAYS

    def _symbol(self, path: Path, node: ast.Name | ast.Attribute, found: frozenset[Value]) -> Iterator[Reference]:
        """Give the reference of an expression that is a name of the old module, if it is one place of its own."""
        named = set(symbols(found))
        parent = self._forest.parents[node]
        name = min(symbol.name for symbol in named)
        if not name and isinstance(parent, ast.Attribute):
            return  # counted with what is taken from the module
        base = self._values.of(node.value) if isinstance(node, ast.Attribute) else None
        if base == _OF_CODES and not self._provenance.is_name(node):
            return  # of the class of codes as a value, which has the same members under its new name
        replaced = self._patches.place(path, name, node)
        code = PATCHED if replaced else self._features.code(node)
        code = code or ("CCM005" if self._texts.shown(path, node) else "")
        module, problem = self._taken(node)
        if code:
            pass
        elif len(named) > 1 or found - {Token(symbol) for symbol in named} - {Plain.NONE}:
            code = "CCM004"
        elif (named | set(self._method_of(parent))) & self._inspected:
            code = "CCM082"
        elif not self._provenance.is_name(node):
            code = problem
        elif not name:
            code, is_value = self._of_module(node)
            module = node if is_value else None
        elif isinstance(node, ast.Name) and self._forest.of(node).of[node].deletions and not self._is_class(name):
            code = "CCM004"  # `del` unbinds it somewhere; what is written in its place would still be there
        made = replace(self._made(path, node, Symbol(name), code), replaced=replaced)
        yield made if module is None else replace(made, module=module)

    def _is_class(self, name: str) -> bool:
        return name in self._api.vocabulary.errors or name in self._api.vocabulary.classes

    def _taken(self, node: ast.expr | None) -> tuple[ast.expr | None, str]:
        """Return what a name is taken from where no import brings that, and why the name cannot change."""
        base = None if self._provenance.is_name(node) else self._modules.base(node)
        return base, "CCM009" if base is None or not self._modules.is_certain(base) else ""

    def _of_module(self, node: ast.expr) -> tuple[str, bool]:
        """Return the code for the module that is no beginning of a name, and whether it goes on as a value."""
        parent = self._forest.parents[node]
        called = parent.func.id if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) else ""
        if self._modules.is_tested(node) or node in self._tables.of_module:
            return "", False
        code = _READS.get(called, "" if self._modules.is_followed(node) else "CCM009")
        if isinstance(parent, ast.Call) and code == "CCM006" and self._features.is_answered(parent):
            return "", False
        return code, not code

    def _made(self, path: Path, node: ast.expr, key: Symbol | Method, code: str) -> Reference:
        """Give the reference to a function, class or constant: with its call, or the origins that it reaches."""
        parent, (function, is_flat) = self._forest.parents[node], self._api.function(key)
        receiver = node.value if isinstance(key, Method) and isinstance(node, ast.Attribute) else None
        name = function.name if function and isinstance(key, Method) else getattr(key, "name", "")
        if function and isinstance(parent, ast.Call) and parent.func is node:
            if starred := splats(parent):
                return self._splatted(path, node, name, parent, starred, code)
            call = (flat if is_flat else objects).read(parent, function, receiver)
            self.calls[parent] = call
            return Reference(path, node, name, call, code or call.problem or self._unknown(call))
        if any(self._method_of(parent)):
            return Reference(path, node, name, code=code)  # a class, which changes with the method taken from it
        tested, of_heirs = tested_for(node, self._forest, self._values, self._api.vocabulary.classes)
        if is_dispatched(node, self._forest, self._values) or is_part_of_pattern(node, self._forest):
            tested = tested.union(of_kind(self._api.vocabulary.classes.get(name), self._values))
        tested |= self.tested.get(name, frozenset())
        if self._meets_types(node, key):
            tested |= self._asked_types.of_kind(self._api.vocabulary.classes.get(name))
        origins = tested | (self.reached(key) if function else self._identical(node))
        origins |= {key} if Token(key) in self._values.sinks else frozenset()
        of_handles = bool(function and function.kinds) or self._api.vocabulary.classes.get(name) == "endpoint"
        if of_handles and name not in self.tested and self._defaults.is_default(node) and not self._is_called_away(key):
            origins, code = frozenset({node}), code or UNSEEN  # who leaves it as it is calls it; here nobody does
        shown = function.name.removesuffix(SUFFIX) if function and is_flat else name.rpartition(".")[2]
        of_heirs = of_heirs and name not in self._api.vocabulary.errors  # which are the same in both libraries
        code = code or ("CCM039" if of_heirs else "CCM082" if self._is_type(key) else "")
        shown = shown if key in self._named else ""
        return Reference(path, node, name, code=code, origins=origins, shown=shown)

    def _is_called_away(self, key: Symbol | Method) -> bool:
        """Whether something calls a function or class by a name that neither an import nor a module has."""
        for site in self._api.reached.get(key, ()):
            function = site.func if isinstance(site, ast.Call) else None
            owner = self._values.of(function.value) if isinstance(function, ast.Attribute) else None
            of_module = owner is not None and (any(modules(owner)) or all(isinstance(it, Module) for it in owner))
            if function is not None and not of_module and (owner is not None or not self._provenance.is_name(function)):
                return True
        return False

    def _identical(self, constant: ast.expr) -> frozenset[Hashable]:
        """Return the origins of the handles in the calls of which a constant is asked whether it is their very code."""
        compare = self._forest.parents[constant]
        if not isinstance(compare, ast.Compare) or not any(isinstance(it, ast.Is | ast.IsNot) for it in compare.ops):
            return frozenset()
        sides = (value for side in (compare.left, *compare.comparators) for value in self._values.of(side))
        codes = (value.key.node for value in sides if isinstance(value, Token) and isinstance(value.key, Code))
        calls = (self._api.sites.get(call, ()) for call in codes if isinstance(call, ast.expr))
        return frozenset[Hashable]().union(*calls)

    def _meets_types(self, node: ast.expr, key: Symbol | Method) -> bool:
        """Whether what is written here is a class that is compared, or issubclass asks for; isinstance is no such."""
        outer = self._forest.parents[node]
        outer = self._forest.parents[outer] if isinstance(outer, ast.Tuple) else outer
        test = last_name(outer.func) if isinstance(outer, ast.Call) else ""
        if test in TYPE_TESTS or isinstance(outer, ast.MatchClass):
            return test == "issubclass"
        return Token(key) in self._told.compared and not is_annotation(self._forest, node)

    def _is_type(self, key: Symbol | Method) -> bool:
        """Whether a class is called away from its name, and compared or asked for; its successor is not a class."""
        if getattr(key, "name", "") not in self._api.vocabulary.classes or not self.reached(key):
            return False
        return Token(key) in self._told.names or getattr(key, "name", "") in self.tested

    def _method_of(self, parent: ast.AST) -> Iterator[Symbol]:
        """Yield the method that is taken from a class."""
        return symbols(self._values.of(parent) if isinstance(parent, ast.Attribute) else ())

    def _splatted(
        self, path: Path, node: ast.expr, name: str, call: ast.Call, starred: Iterable[ast.expr], code: str
    ) -> Reference:
        """Give the function of a call whose arguments are not written one by one: it is a value, too."""
        origins = set(self._api.sites.get(call, ()))
        for values in (self._values.of(value) - {Plain.NONE} for value in starred):
            known = [value for value in values if isinstance(value, Collection)]
            inside = self._values.inside(known)
            if len(known) < len(values) or self._may_be_anything(inside):
                code = code or "CCM038"
            keys = (item.key for item in inside if isinstance(item, Token))
            origins |= {key.origin for key in keys if isinstance(key, Handle)}
        return Reference(path, node, name, code=code, origins=frozenset(origins))

    def _unknown(self, call: Call) -> str:
        """Return CCM034 for a call on a handle of which nothing is known."""
        given = [self._values.of(value) for name, value in call.arguments.items() if name in call.signature.kinds]
        lost = [values for values in given if self._may_be_anything(values)]
        return "CCM034" if lost and not any(isinstance(each, Token) for values in lost for each in values) else ""

    # ------------------------------------------------------------------ attributes

    def _attribute(self, path: Path, node: ast.Attribute) -> Iterator[Reference]:
        if not isinstance(node.ctx, ast.Load):
            return
        found, base = self._values.of(node) or self._read(node), self._values.of(node.value)
        methods = {value.key for value in found if isinstance(value, Token) and isinstance(value.key, Method)}
        if has_symbol(found):
            is_name, origins = self._provenance.is_name(node), self._provenance.origins(node)
            if has_symbol(base) or (is_name and not self._keeps(origins, found)):
                yield from self._symbol(path, node, found)
        elif methods:
            if any(map(is_handle, base)):  # else an object of the program's own that holds a bound method
                yield from self._method(path, node, methods)
        elif node.value in self._tables.of_module:
            yield Reference(path, node.value, "")
        elif modules(base):
            code = NO_COUNTERPART if node.attr.startswith("__") else NOT_OLD  # what every module has
            yield Reference(path, node, node.attr, code=code, module=self._taken(node)[0])
        elif self._is_c_name(node.attr, base):
            yield Reference(path, node, node.attr, code=OF_C)

    def _is_c_name(self, name: str, base: frozenset[Value]) -> bool:
        """Whether an attribute is a name of an old C library on what can be one: no object of the program's own."""
        if self._may_be_anything(base):
            return is_old_word(name)
        return is_c_name(name) and any(map(_is_made_elsewhere, base))

    def _read(self, node: ast.Attribute) -> frozenset[Value]:
        """Return what an attribute of an old module is where nothing evaluates it: in an annotation."""
        owners = [Token(symbol) for symbol in symbols(self._values.of(node.value))]
        values = (self._api.attribute(owner, node.attr) or () for owner in owners)
        return frozenset(value for given in values for value in given if isinstance(value, Token))

    def _method(self, path: Path, node: ast.Attribute, methods: set[Method]) -> Iterator[Reference]:
        functions = {method.function for method in methods}
        if any(self._api.function(method)[0] is None for method in methods):
            return  # __enter__ and its like: both libraries have them
        parent = self._forest.parents[node]
        called = parent if isinstance(parent, ast.Call) and parent.func is node else None
        named = {function.replace("_rep_", "_") for function in functions}  # devices and representors are alike
        code = self._features.code(node) or (SEVERAL_KINDS if len(named) > 1 and not called else "")
        code = code or ("CCM005" if self._texts.shown(path, node) else "")
        replaced = next(filter(None, (self._patches.place_of_kind(method.handle.kind) for method in methods)), None)
        chosen = min(methods, key=lambda method: method.function)
        made = self._made(path, node, chosen, code or (PATCHED if replaced else ""))
        reference = replace(made, replaced=None if code else replaced)
        if reference.call:
            others = (self._api.function(method)[0] for method in methods if method.function != chosen.function)
            alike = (objects.read(reference.call.node, other, node.value) for other in others if other)
            yield replace(reference, alike=tuple(alike))
            return
        shown = node.attr if methods & self._named else ""
        own = frozenset(method.handle.origin for method in methods)
        yield replace(reference, origins=reference.origins.union(own, *map(self.reached, methods)), shown=shown)

    def _may_be_anything(self, values: frozenset[Value]) -> bool:
        return not values or Plain.UNKNOWN in values

    # ------------------------------------------------------------------ names that are put together

    def _looked_up(self, path: Path, node: ast.Call) -> Iterator[Reference]:
        """Give the reference of `getattr(ep, "set_" + name)` where every name is seen: some methods of handles."""
        if self._values.of(node.func) != {_GETATTR} or len(node.args) != 2 or isinstance(node.args[1], ast.Constant):
            return
        kinds = {handle.kind for handle in handles_among(self._values.of(node.args[0]))}
        texts = self.texts(node.args[1])
        methods = [value.key for value in self._values.of(node) if isinstance(value, Token)]
        known = [self._api.vocabulary.methods.get((kind, text)) for kind in kinds for text in texts]
        is_only = all(map(is_handle, self._values.of(node.args[0]))) and len(methods) == len(self._values.of(node))
        if known and all(known) and is_only and all(isinstance(key, Method) for key in methods):
            origins = (self.reached(key) | {key.handle.origin} for key in methods if isinstance(key, Method))
            name = known[0].name if known[0] else ""
            found = Reference(path, node, name, origins=frozenset[Hashable]().union(*origins), texts=tuple(texts))
            self.computed.add(node)
            yield found

    def texts(self, node: ast.expr) -> list[str]:
        """Return every text that an expression can be, nothing where one may be unseen."""
        given = partial(passed, forest=self._forest, values=self._values)
        return looped(node, self._forest.of(node), is_own=self._is_of_one_file, passed=given)

    def _is_of_one_file(self, table: Variable) -> bool:
        """Whether a table that has a name is used in its own file only."""
        if table.scope.kind is not Kind.MODULE:
            return True
        home = self._forest.path(table.bindings[0])
        paths = self._forest.names
        if any(self._project.home(path, star) == home for path in paths for star in self._project.stars(path)):
            return False
        named = any(alias.name == table.name for _, alias in self._forest.nodes(ast.alias))
        return not named and not any(node.attr == table.name for _, node in self._forest.nodes(ast.Attribute))

    # ------------------------------------------------------------------ text

    def _constant(self, path: Path, node: ast.Constant) -> Iterator[Reference]:
        named = self._texts.named(path, node)
        if named is None:
            return
        if isinstance(asked := self._forest.parents[node], ast.Call) and self._features.is_answered(asked):
            return  # changes with the module
        if self._modules.imports(node):
            yield Reference(path, node, named[0], module=node)
        elif self._modules.is_looked_for(node):
            yield Reference(path, node, named[0])
        elif named[1] == "CCM045":
            is_seen = any(Symbol(name) in self._inspected for name in self._texts.types_in(node))
            yield Reference(path, node, named[0], code="CCM082" if is_seen else "")  # else a rule reads the annotation
        else:
            replaced = self._patches.given(node)
            yield Reference(path, node, named[0], code=PATCHED if replaced else named[1], replaced=replaced)


def _is_made_elsewhere(value: Value) -> bool:
    """Whether a value comes from another package; a relative name is one of the program's own, even if not given."""
    if isinstance(value, External):
        return not value.name.startswith(".")
    return value is Plain.OTHER or (isinstance(value, Module) and value.path is None)


_JUDGES: dict[type[Any], Any] = {
    ast.alias: References._alias,
    ast.Name: References._name,
    ast.Attribute: References._attribute,
    ast.Call: References._looked_up,
    ast.Constant: References._constant,
}
