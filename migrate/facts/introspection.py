"""What a program asks about its own text: the names and types of what it uses, and the source of its files."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

from migrate.facts.dispatched import is_dispatched
from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import OldApi
from migrate.facts.hints import Hints
from migrate.facts.name_tables import beginnings
from migrate.facts.quoted_names import QuotedNames
from migrate.facts.serialized import serialized
from migrate.facts.shown import shown_values
from migrate.facts.tokens import Method, Symbol, modules
from migrate.facts.told_apart import ToldApart
from migrate.python._looping import constants, rows
from migrate.python.known_calls import BY_REPR, LOOKING_UP, MEMBERS, NAMESPACES
from migrate.python.scopes import Kind
from migrate.python.values import Collection, Descriptor, External, Function, Instance, Module, Token, Value, Values

NAMES = frozenset({"__name__", "__qualname__"})
_ASKED = NAMES | {"__class__", "__module__", "__doc__", "__dict__", "__mro__", "__bases__"}
_READS_OBJECTS = frozenset({"create_autospec", "getdoc", "signature", "getmembers", "register", "dir", "vars"})
_MOCKS = frozenset({"Mock", "MagicMock", "AsyncMock", "NonCallableMock", "NonCallableMagicMock"})  # made as others are
_WRAPPING = frozenset({"wraps", "update_wrapper"})
_READS_SOURCE = frozenset({"getsource", "getsourcelines", "findsource", "extract_tb", "extract_stack", "getlines"})
_READS_SOURCE |= {"walk_tb", "walk_stack"}
_NAMESPACES = NAMESPACES | {"dir"}
_LISTING = frozenset({"list", "tuple", "set", "frozenset", "sorted", "len", "dict", "print", "iter"})
_CODES = ("DOCA_ERROR_", "DOCA_SUCCESS")  # whose texts are their numbers in comch_next, too
_OPTIONS = frozenset({"add_argument", "set_defaults"})
_VIEWS = frozenset({"keys", "items", "values", "copy"})
_OPENS = frozenset({"open", "read_text", "read_bytes"})
_READS_ANNOTATIONS = frozenset({"get_type_hints", "get_annotations"})
NEW_NAMES = ("comch", "comch_next")  # that imports of the new module bind
_COMPILED = frozenset({"__code__", "co_names", "co_consts", "co_code", "tb_next", "tb_frame", "tb_lineno"})


class Introspection:
    """inspected: the old names of which the type or the name is asked. named: functions and methods whose `__name__`
    is asked. numbers: the constants that are shown as numbers, and are members of enums now. readers: the files that
    read source.
    """

    def __init__(self, forest: Forest, values: Values, api: OldApi, told: ToldApart, quoted: QuotedNames) -> None:
        self._forest, self._values, self._errors = forest, values, api.vocabulary.errors
        self._quoted = quoted
        self._constants, self._exports = api.vocabulary.constants, api.vocabulary.exports
        self._packages = api.vocabulary.packages
        self._classes = api.vocabulary.classes
        self._stars = {path for path, alias in forest.nodes(ast.alias) if alias.name == "*"}
        self._reads_types = any(node.attr == "type" for _, node in forest.nodes(ast.Attribute))  # of dataclass fields
        self.named: set[Hashable] = set()
        functions = {*api.vocabulary.flat, *api.vocabulary.objects} - self._classes.keys()
        compared = (key for key in (token.key for token in told.names) if getattr(key, "name", "") in functions)
        self.inspected = frozenset([*self._inspected(), *compared])
        self.numbers = frozenset(self._numbers())
        self.readers = frozenset(self._readers())

    def _inspected(self) -> Iterator[Symbol]:
        hints = Hints(self._forest, self._values)
        for part in (part for written in hints.annotations() for part in ast.walk(written)):
            text = part.value if isinstance(part, ast.Constant) else ast.unparse(part)
            names = self._quoted.names(part, text) if isinstance(text, str) else ()
            yield from (Symbol(name) for name in names if name not in self._errors)
        for _, node in self._forest.nodes(ast.Attribute):
            if node.attr in NAMES:
                yield from self._asked(node, node.value, node.attr)
            elif node.attr in _ASKED and not self._forest.is_in_message(node):
                yield from self._symbols(node.value)
        for _, call in self._forest.calls(_MOCKS):
            specs = [keyword.value for keyword in call.keywords if keyword.arg in ("spec", "spec_set", "autospec")]
            yield from chain.from_iterable(map(self._symbols, [*specs, *call.args[:1]]))
        for _, call in self._forest.calls(_WRAPPING):
            if call.args and self._names_functions:
                yield from self._asked(call, call.args[0], "__name__")
        for _, call in self._forest.calls(_READS_OBJECTS, _READS_ANNOTATIONS, ("type", "getattr", "fields")):
            name, asked = last_name(call.func), first_constant(call.args[1:2])
            if call.args and is_dispatched(call.args[0], self._forest, self._values):
                continue
            if call.args and (name in _READS_OBJECTS or (name == "type" and len(call.args) == 1)):
                yield from self._symbols(call.args[0])
            elif name == "getattr" and asked in NAMES:
                yield from self._asked(call, call.args[0], str(asked))
            elif (name in _READS_ANNOTATIONS and hints.are_seen(call)) or (name == "fields" and self._reads_types):
                yield from map(Symbol, self._classes)
        for _, function in self._forest.nodes(ast.FunctionDef):
            if any(last_name(decorator) == "register" for decorator in function.decorator_list):
                notes = [argument.annotation for argument in function.args.args[:1] if argument.annotation]
                notes = [note for note in notes if not is_dispatched(note, self._forest, self._values)]
                yield from chain.from_iterable(map(self._symbols, notes))

    @cached_property
    def _names_functions(self) -> bool:
        """Whether the name of any function of the program's own is asked, which may be that of another one."""
        asked = (node.value for _, node in self._forest.nodes(ast.Attribute) if node.attr == "__name__")
        return any(isinstance(value, Function) for node in asked for value in self._values.of(node))

    def _numbers(self) -> Iterator[str]:
        """Yield the constants of which a repr may be asked or a type written down, that are inverted, or in an enum."""
        shown = [node.operand for _, node in self._forest.nodes(ast.UnaryOp) if isinstance(node.op, ast.Invert)]
        holders = shown_values(self._forest, self._values)
        for _, part in self._forest.nodes(ast.FormattedValue):
            shown += [part.value] if part.conversion in (ord("r"), ord("a")) else []
        for _, call in self._forest.calls(BY_REPR):
            shown += call.args
        for _, call in self._forest.calls(_OPTIONS):  # shown by help, and with the namespace
            shown += [keyword.value for keyword in call.keywords]
            holders.update(*(self._values.of(keyword.value) for keyword in call.keywords))
        for _, node in self._forest.nodes(ast.ClassDef):
            bases = (base.name for base in self._values.bases(node) if isinstance(base, External))
            is_enum = any(base.startswith("enum.") for base in bases)
            shown += [part.value for part in node.body if isinstance(part, ast.Assign) and is_enum]
        yield from (name for name in self._constants_in(shown, holders) if not name.startswith(_CODES))
        written = list(serialized(self._forest, self._values))
        yield from self._constants_in(written, frozenset[Value]().union(*map(self._values.of, written)))

    def _constants_in(self, nodes: Iterable[ast.expr], holders: Iterable[Value]) -> set[str]:
        """Return the constants that expressions are, or that the texts of collections and records show."""
        symbols = chain(*map(self._symbols, nodes), self._within(holders))
        return self._constants.keys() & {symbol.name for symbol in symbols}

    def _within(self, holders: Iterable[Value]) -> Iterator[Symbol]:
        """Yield the old names that the texts of collections and records show."""
        todo = [*holders]
        seen = {*todo}
        while todo:
            holder = todo.pop()
            parts = self._values.shown(holder) if isinstance(holder, Collection | Instance) else ()
            for value in frozenset[Value]().union(*parts) - seen:
                seen.add(value)
                todo.append(value)
                if isinstance(value, Token) and isinstance(value.key, Symbol):
                    yield value.key

    def _asked(self, place: ast.AST, node: ast.expr, attribute: str) -> Iterator[Symbol]:
        """Note the functions whose name is asked, which new ones can have; yield what else is asked for its name."""
        for key in self._keys(node):
            is_flat = isinstance(key, Symbol) and key.name not in self._classes  # its qualified name is its name
            if is_flat or (attribute == "__name__" and isinstance(key, Method)):
                self.named.add(key)
            elif isinstance(place, ast.Attribute) and self.is_spelled(node, key):
                continue  # the rewritten program has the text itself
            elif isinstance(key, Symbol) and key.name not in self._errors and not self._forest.is_in_message(place):
                yield key

    def is_spelled(self, node: ast.expr, key: Hashable) -> bool:
        """Whether an expression is the name of an old class, as an import brings it or the module has it."""
        if not isinstance(key, Symbol) or self._values.of(node) != {Token(key)}:
            return False
        if isinstance(node, ast.Attribute):
            return node.attr == key.name and bool(modules(self._values.of(node.value)))
        bindings = self._forest.of(node).of[node].bindings if isinstance(node, ast.Name) else []
        return bool(bindings) and all(isinstance(binding, ast.alias) for binding in bindings)

    def _symbols(self, node: ast.expr) -> Iterator[Symbol]:
        """Yield the old names that an expression can be, but for error classes: both libraries have the same."""
        found = (key for key in self._keys(node) if isinstance(key, Symbol) and key.name)
        return (key for key in found if key.name not in self._errors)

    def _keys(self, node: ast.expr) -> Iterator[Hashable]:
        """Yield what is old of what an expression can be."""
        return (value.key for value in without_static(self._values.of(node)) if isinstance(value, Token))

    def _readers(self) -> Iterator[Path]:
        for path, node in self._forest.nodes(ast.Attribute):
            if node.attr in _COMPILED or self._lists_modules(node):
                yield path
        for path, item in self._forest.nodes(ast.Subscript):
            if _is_module_itself(item) and self._is_searched(item):
                yield path
        for path, call in self._forest.calls(_OPENS, _NAMESPACES, _READS_SOURCE):
            name = last_name(call.func)
            own = name in _OPENS and self._is_own_file(call)
            names = (name == "dir" and path in self._stars) or (name in _NAMESPACES and self._is_listed(call))
            if name in _READS_SOURCE or own or (names and not call.args):
                yield path
        yield from self._listed_elsewhere()

    def _listed_elsewhere(self) -> Iterator[Path]:
        """Yield the modules whose names are listed from outside, where those of imports may be among them."""
        kept = beginnings(self._forest)
        attributes = (node for _, node in self._forest.nodes(ast.Attribute) if node.attr == "__dict__")
        calls = [call for _, call in self._forest.calls(("vars", "dir"), MEMBERS) if call.args]
        tables: list[tuple[ast.expr, ast.expr, bool]] = [(node, node.value, True) for node in attributes]
        tables += [(call, call.args[0], last_name(call.func) == "vars") for call in calls]
        for table, module, is_dictionary in tables:
            if is_dictionary and not (table in kept or self._goes_through(table) or self._is_viewed(table)):
                continue
            for value in self._values.of(module):
                if isinstance(value, Module) and value.path in self._forest.names and value.path is not None:
                    imported = (*self._old_names(self._forest.names[value.path].tree), *NEW_NAMES)
                    if any(name.startswith(kept.get(table, "")) for name in imported):
                        yield value.path

    def _is_viewed(self, table: ast.expr) -> bool:
        """Whether all names in a dictionary are asked for: `vars(x).items()`."""
        outer = self._forest.parents[table]
        return isinstance(outer, ast.Attribute) and outer.attr in _VIEWS

    def _is_listed(self, namespace: ast.Call) -> bool:
        """Whether the names of a module are listed, or an old one looked for, those of its imports too."""
        scope = self._forest.of(namespace).scope(namespace)
        of_module = last_name(namespace.func) == "globals" or scope.kind is Kind.MODULE
        return of_module and (self._goes_through(namespace) or self._is_searched(namespace))

    def _goes_through(self, table: ast.expr) -> bool:
        outer = self._forest.parents[table]
        listed = outer.func if isinstance(outer, ast.Call) else None
        is_list = isinstance(listed, ast.Name) and listed.id in _LISTING
        return is_list or getattr(outer, "iter", None) is table

    def _is_searched(self, namespace: ast.expr) -> bool:
        """Whether the name of an old thing is looked for in a namespace, or read from it."""
        outer = self._forest.parents[namespace]
        wanted = key_of(outer, self._forest)
        if isinstance(outer, ast.Compare) and isinstance(outer.ops[-1], ast.In | ast.NotIn):
            wanted = outer.left
        elif isinstance(outer, ast.Call) and last_name(outer.func) in LOOKING_UP and outer.args[0] is namespace:
            wanted = outer.args[1]
        texts = (
            {first_constant([wanted])}.union(*map(constants, rows(wanted, self._forest.of(namespace))))
            if wanted
            else set()
        )
        return not texts.isdisjoint(self._old_names(namespace))

    def _old_names(self, node: ast.AST) -> Iterator[str]:
        """Yield the names that imports of the old API bind in the module of a node; one that `del` unbinds is kept."""
        names = self._forest.of(node)
        for name, variable in names.module.variables.items():
            aliases = (binding for binding in variable.bindings if isinstance(binding, ast.alias))
            found = frozenset[Value]().union(*map(self._values.of_target, aliases))
            if not variable.deletions and any(isinstance(value, Token) for value in found):
                yield name
        if self._forest.path(node) in self._stars:
            yield from self._exports

    def _lists_modules(self, node: ast.Attribute) -> bool:
        """Whether the names of all modules are listed, unless those of others are picked by their beginning."""
        if node.attr != "modules" or self._values.of(node) != {External("sys.modules")}:
            return False
        outer = self._forest.parents[node]
        is_view = isinstance(outer, ast.Attribute) and outer.attr in _VIEWS
        if not is_view and not self._goes_through(node):
            return False
        calls = (part for part in ast.walk(self._forest.statement(node)) if isinstance(part, ast.Call))
        wanted = [first_constant(call.args[:1]) for call in calls if last_name(call.func) == "startswith"]
        return not wanted or any(package.startswith(str(text)) for text in wanted for package in self._packages)

    def _is_own_file(self, call: ast.Call) -> bool:
        """Whether what is opened is `__file__`, as it is or as a Path."""
        base = call.func.value if isinstance(call.func, ast.Attribute) else None
        opened = base if isinstance(base, ast.Call) else call
        return any(isinstance(given, ast.Name) and given.id == "__file__" for given in opened.args)


def _is_module_itself(item: ast.Subscript) -> bool:
    """Whether an expression is `sys.modules[__name__]`."""
    return last_name(item.slice) == "__name__" and last_name(item.value) == "modules"


def without_static(values: Iterable[Value]) -> Iterator[Value]:
    """Yield some values, for a static method its function: it has that one's name."""
    for value in values:
        yield value.function if isinstance(value, Descriptor) and value.kind == "staticmethod" else value


def key_of(read: ast.AST, forest: Forest) -> ast.expr | None:
    """Return the key under which an expression reads a namespace: `globals()[key]`, `globals().get(key)`."""
    call = forest.parents[read]
    if isinstance(read, ast.Attribute) and read.attr in ("get", "pop", "setdefault"):
        return call.args[0] if isinstance(call, ast.Call) and call.args else None
    return read.slice if isinstance(read, ast.Subscript) else None


def first_constant(nodes: Sequence[ast.expr]) -> object:
    """Return the value of the first of some nodes, if it is written as a constant."""
    return nodes[0].value if nodes and isinstance(nodes[0], ast.Constant) else None
