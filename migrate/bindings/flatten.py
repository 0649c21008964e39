"""The edits that make the files of a project flat which call C, and the places that keep them as they are."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from migrate.bindings import callbacks
from migrate.bindings.addresses import Addresses
from migrate.bindings.analysis import Analysis
from migrate.bindings.calls import Calls, decoding
from migrate.bindings.cutting import Cutting
from migrate.bindings.filled import Filled
from migrate.bindings.foreign import Foreign
from migrate.bindings.found import Found
from migrate.bindings.keeping import TAKEN_BEFORE, bound, is_of_class
from migrate.bindings.knowledge import REFERENCES
from migrate.bindings.libraries import Libraries
from migrate.bindings.members import Members
from migrate.bindings.numbers import Numbers
from migrate.bindings.own_names import OwnNames
from migrate.bindings.prototypes import Prototypes
from migrate.bindings.refusal import CALL, DECLARATION, USE, NotUnderstood
from migrate.bindings.releases import Releases
from migrate.bindings.shown import Shown
from migrate.bindings.tables import Tables, unbinding
from migrate.bindings.terminators import Terminators
from migrate.bindings.tokens import (
    CFFI,
    CTYPES,
    GIVEN,
    CFunction,
    Data,
    Ffi,
    Library,
    Maker,
    Member,
    Name,
    Null,
    Pointer,
    Shape,
    Stranger,
    Struct,
    Text,
    UserData,
    View,
    keys,
)
from migrate.bindings.told import Told
from migrate.bindings.uses import Uses
from migrate.bindings.views import Views
from migrate.facts.expressions import Expressions
from migrate.facts.reaching import Reaching
from migrate.python.values import Plain, Token
from migrate.text.builtin_names import HIDDEN, spelled
from migrate.text.code import Edits, Template
from migrate.text.pieces import Change

_DECLARING = frozenset({"cdef", "set_source", "compile"})
_Key = TypeVar("_Key")


class Flattening:
    """The edits of all files of a project, and the places that are not understood, by file."""

    def __init__(self, analysis: Analysis, declared: frozenset[str] = frozenset()) -> None:
        """Read a project. declared: functions that are declared to ctypes elsewhere."""
        sources, project, vocabulary = analysis.sources, analysis.project, analysis.vocabulary
        self.sources, self.project, self.vocabulary = sources, project, vocabulary
        self.forest, declarations = analysis.forest, analysis.declarations
        self.values, self._bindings = analysis.values, analysis.bindings
        self.libraries = Libraries(self.forest, self.values, project)
        expressions = Expressions(self.forest, self.values, frozenset(), vocabulary)
        controls = {path: source.control for path, source in sources.items()}
        self._reaching = Reaching(self.forest, self.values, controls, self._referred)
        numbers = Numbers(self.forest, self.values, expressions)
        terminators = Terminators(self.forest, self.values, expressions)
        self._calls = Calls(self.forest, self.values, self._reaching, vocabulary, numbers, terminators)
        self._members = Members(self.forest, self.values, self._reaching, expressions, numbers)
        self._uses = Uses(self.forest, self.values, numbers)
        self._views = Views(self.forest, self.values, Filled(self.forest, self.values, controls, expressions))
        self._prototypes = Prototypes(self.forest, self.values, vocabulary, declared)
        self._foreign = Foreign(self.forest, self.values, self._reaching, self.libraries, self._bindings, self._changes)
        self.expressions: dict[ast.expr, Template] = {}
        self.statements: dict[ast.stmt, Template] = {}
        self.deleted: set[ast.stmt] = set()
        self.refused: dict[Path, NotUnderstood] = {}
        self._kept: dict[Ffi, list[ast.expr]] = {}  # what stays cffi's, with the places
        self._declaring: dict[ast.Call, Ffi] = {}  # the calls that declare for an FFI object
        self.cuts: dict[Path, list[Change]] = {}  # of texts that declare for other libraries, too
        self._named: list[ast.expr] = []  # what names the libraries
        self.touched: set[Path] = set()
        if not self.libraries.old:
            return
        self._put_each(Releases(self.forest, self.values, vocabulary.flat).edits())
        self._read_calls()
        self._read_members()
        self._check_made()
        self.deleted.update(Found(self.forest, self.values, self._named).gone())
        self._read_decorators()
        self._read_structs()
        shown = Shown(self.forest, self.values, declarations)
        self._put_each([*shown.edits(), *shown.returned()])
        self._read_uses()
        self._read_views()
        self._put_each(Told(self.forest, self.values, self._bindings).edits())
        self._read_names()
        kept = [place for places in self._kept.values() for place in places]
        addresses = Addresses(self.forest, self.values, self._reaching)
        found = (self._foreign.problems(), self._foreign.problems_of(kept), addresses.problems(self.expressions))
        self._put_each(chain.from_iterable(found))
        self._read_declarations()
        self._check_compiled(declarations.compiled.values())
        self._check_objects()
        self._read_prototypes()
        self._read_tables()
        self.expressions |= {ffi.node: Template("None") for ffi in self.dropped()}
        self._spell(OwnNames(analysis))

    def _referred(self, node: ast.expr) -> ast.expr | None:
        """Return the value that an expression is a pointer to: `byref(value)`."""
        if not isinstance(node, ast.Call) or len(node.args) != 1 or isinstance(node.args[0], ast.Starred):
            return None
        names = [key.name if isinstance(key, Name) else "" for key in keys(self.values.of(node.func))]
        return node.args[0] if names and REFERENCES.issuperset(names) else None

    # ------------------------------------------------------------------ which libraries

    def _all(self, kind: type[_Key]) -> list[_Key]:
        return [token.key for token in self.values.tokens if isinstance(token.key, kind)]

    def _changes(self, data: Data) -> bool:
        """Whether a C value is of the program's talk with an old library."""
        data = data.whole
        if data.node is GIVEN:
            return True
        if data.spelling == CTYPES:
            return data in self._calls.met
        return data.ffi in self.libraries.ffis and (data in self._calls.met or data not in self._bindings.met)

    def _touch(self, node: ast.AST) -> None:
        self.touched.add(self.forest.path(node))

    def _refuse(self, problem: NotUnderstood) -> None:
        path = self.forest.path(problem.node)
        self.touched.add(path)
        known = self.refused.get(path)
        if known is None or _line(problem.node) < _line(known.node):
            self.refused[path] = problem

    # ------------------------------------------------------------------ calls

    def _read_calls(self) -> None:
        calls = [(node, found, [key for key in keys(found) if isinstance(key, CFunction)])
                 for _, node in self.forest.nodes(ast.Call) if (found := self._reaching.of(node.func))]  # fmt: skip
        self._calls.find_whole([(node, functions) for node, _, functions in calls if functions])
        for node, found, functions in calls:
            if not functions:
                continue
            try:
                if len(functions) < len(found):
                    raise NotUnderstood(node, USE)
                self.expressions[node] = self._calls.template(node, functions)
                decoded = decoding(node, self.forest) if Text(CTYPES) in keys(self.values.of(node)) else None
                if decoded is not None:
                    self.expressions[decoded] = Template("{text}", {"text": node})
                self._touch(node)
            except NotUnderstood as problem:
                self._refuse(problem)
        for data in self._calls.met & self._bindings.met:
            self._refuse(NotUnderstood(data.node, USE))
        for _, taken in self.forest.nodes(ast.Attribute):
            above = self.forest.parents[taken]
            functions = [key for key in keys(self.values.of(taken)) if isinstance(key, CFunction)]
            stored = (isinstance(above, ast.Call) and above.func is taken) or isinstance(above, ast.Attribute)
            is_test = self.forest.parents[taken] in self.statements
            if (
                functions
                and isinstance(taken.ctx, ast.Load)
                and not stored
                and not is_test
                and (self._calls.is_origin(taken))
            ):
                self._keep(taken, functions)
        for token in self.values.tokens:
            for use in self.values.uses(token) if isinstance(token.key, CFunction) else ():
                is_taken = self._calls.is_origin(use) or isinstance(use, ast.IfExp)
                if not is_taken and is_of_class(use, self.forest, self.values):
                    self._keep_again(use)
        for place in bound(self.forest, self.values):
            self._refuse(NotUnderstood(place, USE))

    def _keep(self, node: ast.Attribute, functions: list[CFunction]) -> None:
        """Edit a function that is not called where it is taken."""
        try:
            if len(functions) > 1:
                raise NotUnderstood(node, USE)
            if edit := self._calls.kept(node, functions[0]):
                self._put(node, edit)
        except NotUnderstood as problem:
            self._refuse(problem)

    def _keep_again(self, use: ast.expr) -> None:
        """Edit what a class has for a function that was taken before: one of Python's would be bound there."""
        found = self.values.of(use) - {Plain.NONE}
        is_of_c = len([key for key in keys(found) if isinstance(key, CFunction)]) == len(found)
        if is_of_c and type(use) in TAKEN_BEFORE:
            self._put(use, TAKEN_BEFORE[type(use)](use))
            self._touch(use)
        else:
            self._refuse(NotUnderstood(use, USE))

    def _read_members(self) -> None:
        for _, node in self.forest.nodes(ast.Call):
            found = list(keys(self.values.of(node.func)))
            members = [key for key in found if isinstance(key, Member) and key.ffi in self.libraries.ffis]
            names = [key for key in found if isinstance(key, Name) and key.package == CTYPES]
            try:
                if members:
                    self._member(node, members, len(members) < len(self.values.of(node.func)))
                elif names:
                    self._of_ctypes(node, names[0].name)
                elif any(isinstance(key, Maker) and key.spelling == CTYPES for key in found) and not any(
                    map(self._foreign.keeps, node.args)
                ):
                    self._put(*self._members.made_by(node))
                self._opened(node)
            except NotUnderstood as problem:
                self._refuse(problem)
        for data in self._calls.met:
            if data.shape is Shape.BYTES and data.node not in self.expressions:
                self._refuse(NotUnderstood(data.node, USE))  # such as `map(c_char_p, names)`

    def _check_made(self) -> None:
        """Refuse C values that something else makes than a call that is written out: `defaultdict(c_void_p)`."""
        for data in self._calls.met:
            is_made = data.node is GIVEN or data.holds == "struct" or data.node in self.expressions
            if is_made or self._is_replaced(data.node):
                continue
            if (factory := self._members.factory(data)) is not None:
                self._put(*factory)
                continue
            places = [data.node] if data.node in self.forest.parents else self.values.uses(Token(data))
            for place in places[:1]:
                self._refuse(NotUnderstood(place, USE))

    def _member(self, node: ast.Call, members: list[Member], mixed: bool) -> None:
        name = members[0].name
        if mixed or len(members) > 1:
            raise NotUnderstood(node, USE)
        self._touch(node)
        if name in _DECLARING:
            self._declaring[node] = members[0].ffi
            return
        if name == "dlopen":
            if self.libraries.old.isdisjoint(keys(self.values.of(node))):
                self._keep_ffi(members[0].ffi, node)  # another library, whose functions this object declares, too
            return
        if self._is_replaced(node):
            return
        data = next((key for key in keys(self.values.of(node)) if isinstance(key, Data)), None)
        stays = data is not None and data.node is node and not self._changes(data)
        edit = None if stays or self._foreign.is_call_of(node, members[0]) else self._members.of_ffi(node, name)
        if edit is None:
            self._keep_ffi(members[0].ffi, node)
        else:
            self._put(*edit)

    def _keep_ffi(self, ffi: Ffi, place: ast.expr) -> None:
        self._kept.setdefault(ffi, []).append(place)

    def _is_replaced(self, node: ast.AST) -> bool:
        """Whether an edit around a node drops it."""
        passed = {node}
        for above in self.forest.above(node):
            template = self.expressions.get(above) if isinstance(above, ast.expr) else None
            if template is not None and passed.isdisjoint(template.parts.values()):
                return True
            passed.add(above)
        return False

    def _of_ctypes(self, node: ast.Call, name: str) -> None:
        """Edit what makes or refers to a value that an old function is given."""
        shown = (part.left if isinstance(part, ast.BinOp) else part for part in node.args)
        given = [key for part in (node, *shown) for key in keys(self._reaching.of(part)) if isinstance(key, Data)]
        if any(map(self._changes, given)):
            edit = self._members.of_ctypes(node, name)
            if edit is None:
                raise NotUnderstood(node, USE)
            self._put(*edit)
            self._touch(node)

    def _opened(self, node: ast.Call) -> None:
        """Let an old library be the old module."""
        library = next((key for key in keys(self.values.of(node)) if isinstance(key, Library)), None)
        if library is None or library.node is not node or library not in self.libraries.old:
            return
        if any(isinstance(key, Stranger) and key.library == library for key in self._all(Stranger)):
            raise NotUnderstood(node, DECLARATION)
        if not all(map(self.libraries.is_plain, node.args)):
            raise NotUnderstood(node, DECLARATION)
        self._named += node.args
        self._touch(node)
        statement = self.forest.parents[node]
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if isinstance(target, ast.Name) and isinstance(statement, ast.stmt):
            module = self.libraries.stand_in(library)
            alias = f" as {target.id}" if target.id != module else ""
            self.statements[statement] = Template(f"import {module}{alias}")
        else:
            self.expressions[node] = Template("{module}")

    # ------------------------------------------------------------------ values and names

    def _put(self, node: ast.expr | ast.stmt, template: Template) -> None:
        if isinstance(node, ast.stmt):
            self.statements[node] = template
        else:
            self.expressions[node] = template

    def _put_each(self, edits: Iterable[tuple[ast.expr, Template] | tuple[ast.stmt, Template] | NotUnderstood]) -> None:
        for edit in edits:
            if isinstance(edit, NotUnderstood):
                self._refuse(edit)
            else:
                self._put(*edit)

    def _spell(self, own: OwnNames) -> None:
        """Spell the words of the edits otherwise where the program has a name of Python's own for itself."""
        edits: Sequence[dict[Any, Template]] = (self.expressions, self.statements)
        for node, template in [pair for templates in edits for pair in templates.items()]:
            made = spelled(template, partial(own.is_hidden, node))
            if made is not None:
                self._put(node, made)
            elif not self._is_replaced(node):
                self._refuse(NotUnderstood(node, HIDDEN))

    def _put_all(self, edit: tuple[ast.expr, Template] | None) -> None:
        if edit is not None:
            self._put(*edit)

    def _read_decorators(self) -> None:
        """Change the decorators that make functions for C to call."""
        for _, function in self.forest.nodes(ast.FunctionDef):
            for decorator in function.decorator_list:
                makers = [key for key in keys(self.values.of(decorator)) if isinstance(key, Maker)]
                if makers and not self._foreign.keeps(function):
                    self.expressions[decorator] = callbacks.decorator(function, decorator)
                    self._touch(decorator)

    def _read_structs(self) -> None:
        """Read the uses of classes of structs: calls, and types of pointers."""
        for struct in self._all(Struct):
            for node in self.values.uses(Token(struct)):
                above = self.forest.parents[node]
                try:
                    if isinstance(above, ast.Call) and above.func is node:
                        self._put_all(self._members.structs.called(above, struct.name))
                    elif not isinstance(above, ast.Assign) and not self._is_type(above):
                        raise NotUnderstood(node, USE)
                except NotUnderstood as problem:
                    self._refuse(problem)

    def _is_type(self, node: ast.AST) -> bool:
        """Whether a call gives a type of a pointer: `POINTER(struct)`."""
        return isinstance(node, ast.Call) and any(
            isinstance(key, Name) and key.name == "POINTER" for key in keys(self.values.of(node.func))
        )

    def _read_uses(self) -> None:
        for place, shown in self._uses.looked_into():
            if self._changes(shown) and shown.spelling == CTYPES and shown.shape in (Shape.CELL, Shape.BYTES):
                self._refuse(NotUnderstood(place, USE))
        for token in self.values.tokens:
            data = token.key
            if not isinstance(data, Data) or not self._changes(data):
                continue
            for node in self._places(token):
                self._touch(node)
                try:
                    if self._uses.is_settled(node, data):
                        continue
                    if edit := self._uses.tested(node, data):
                        self._put(*edit)
                        continue
                    if self._members.is_mixed(node) or self._members.is_carried(node):
                        self._uses.passed_on(node, data)
                        continue
                    self._members.data(node)
                    self._put_all(self._uses.nothing(node, data))
                    edit = self._uses.edit(node, data)
                    if edit is not None and edit[0] not in self.expressions:
                        self._put(*edit)
                except NotUnderstood as problem:
                    if not self._is_replaced(node):
                        self._refuse(problem)

    def _places(self, token: Token) -> list[ast.expr]:
        """Return where an expression can have a token; a name that had it before, or will have it, is none."""
        return [node for node in self.values.uses(token) if token in self._reaching.of(node) and self._adds(node)]

    def _adds(self, node: ast.expr) -> bool:
        """Whether a sum is one of a C value where it stands; True for everything else."""
        return not isinstance(node, ast.BinOp) or any(
            isinstance(key, Data) for key in keys(self._reaching.of(node.left))
        )

    def _is_dressed(self, node: ast.expr) -> bool:
        """Whether an edit of what stands above a value takes it over: `ffi.buffer(value)`."""
        return any(above in self.expressions or above in self.statements for above in self.forest.above(node)
                   if isinstance(above, ast.Call | ast.Expr))  # fmt: skip

    def _read_views(self) -> None:
        """Read what shows a C value, and the pointers of cffi."""
        kept = {place for places in self._kept.values() for place in places}
        for token in self.values.tokens:
            key = token.key
            for node in self._places(token) if isinstance(key, Pointer | Null | UserData | View) else ():
                try:
                    if isinstance(key, UserData):
                        self._put_all(self._views.user_data(node))
                    elif not isinstance(key, View):
                        self._put_all(self._views.pointer(node, key.spelling if isinstance(key, Pointer) else CFFI))
                    elif key.node in self.expressions and (above := self.forest.parents[node]) not in self.expressions:
                        if not key.is_buffer and above in kept and not self._takes_memory(above):
                            raise NotUnderstood(node, USE)  # to cffi, the memory itself is no value of C
                        self._put_all(self._views.view(node, key))
                except NotUnderstood as problem:
                    self._refuse(problem)

    def _takes_memory(self, call: ast.AST) -> bool:
        """Whether what stays cffi's takes memory of Python's for a value of C: `ffi.memmove` alone does."""
        found = [*keys(self.values.of(call.func))] if isinstance(call, ast.Call) else []
        return all(isinstance(key, Member) and key.name == "memmove" for key in found)

    def _read_names(self) -> None:
        """Put None in the place of NULL, and refuse what is looked up."""
        for _, node in self.forest.nodes(ast.Attribute):
            if not isinstance(node.ctx, ast.Load) or not self._is_of_old(keys(self.values.of(node.value))):
                continue
            above = self.forest.parents[node]
            if self.values.of(node) == {Token(Null())}:
                self._read_null(node)
            elif not isinstance(above, ast.Assign) and not (isinstance(above, ast.Call) and above.func is node):
                self._refuse(NotUnderstood(node, USE))  # ffi.errno, ffi.CData
        for token in self.values.tokens:
            if isinstance(token.key, Text) and token.key.spelling == CFFI:
                for use in self.values.uses(token):
                    self._text(use)

    def _read_null(self, node: ast.Attribute) -> None:
        """Put None in the place of NULL, but for what stays one of C, and what makes that."""
        ffis = [key for key in keys(self.values.of(node.value)) if isinstance(key, Ffi)]
        places = {place for ffi in ffis for place in self._kept.get(ffi, ())}
        if self._foreign.keeps_null(node):
            for ffi in ffis:
                self._keep_ffi(ffi, node)
        elif places.isdisjoint(self.forest.above(node)):
            self.expressions[node] = Template("None")

    def _read_declarations(self) -> None:
        """Take away what is declared for old libraries alone: all of it, or what no other library needs."""
        cutting = Cutting(self.sources, self.forest, self.values, self.vocabulary)
        for call, ffi in self._declaring.items():
            statement = self.forest.parents[call]
            if not isinstance(statement, ast.Expr):
                self._refuse(NotUnderstood(call, DECLARATION))
            elif ffi in self.dropped():
                self.deleted.add(statement)
        for ffi, places in self._kept.items():
            calls = [call for call, declared in self._declaring.items() if declared == ffi]
            try:
                for call, changes in cutting.cut(calls, places):
                    statement = self.forest.parents[call]
                    if changes is None and isinstance(statement, ast.stmt):
                        self.deleted.add(statement)
                    self.cuts.setdefault(self.forest.path(call), []).extend(changes or ())
            except NotUnderstood as problem:
                self._refuse(problem)

    def _check_compiled(self, compiled: Iterable[ast.Call]) -> None:
        """Refuse modules of cffi's that are made by files which their users do not import: these may not change."""
        for node in compiled:
            for use in self.values.uses(Token(Ffi(node))) if Ffi(node) in self.libraries.ffis else ():
                if self.forest.path(use) not in self.libraries.family(self.forest.path(node)):
                    self._refuse(NotUnderstood(use, DECLARATION))
                    self._refuse(NotUnderstood(node, DECLARATION))

    def _check_objects(self) -> None:
        """Refuse questions about FFI objects, which are no more."""
        for ffi in self.dropped():
            for use in self.values.uses(Token(ffi)):
                is_only = self.values.of(use) == {Token(ffi)}  # else it is None until it is made
                if is_only and isinstance(self.forest.parents[use], ast.Compare | ast.BoolOp | ast.If | ast.UnaryOp):
                    self._refuse(NotUnderstood(use, USE))

    def _read_prototypes(self) -> None:
        """Remove what is declared to ctypes about functions."""
        for statement in self._prototypes.statements():
            if isinstance(statement, ast.Assign):
                self.deleted.add(statement)
            else:
                self._refuse(statement)
        for node in self._prototypes.undeclared():
            self._refuse(NotUnderstood(node, CALL))
        touched = [path for path in self.forest.names if self.libraries.family(path) & self.touched]
        for call in (call for path in touched for call in self.forest.in_file(path, ast.Call)):
            self._read_call_of_ctypes(call, [key.name for key in keys(self.values.of(call.func))
                                             if isinstance(key, Name) and key.package == CTYPES])  # fmt: skip

    def _read_call_of_ctypes(self, call: ast.Call, names: list[str]) -> None:
        """Refuse a look at errno, and types of callbacks that show a message as something else than its bytes."""
        is_cut = "CFUNCTYPE" in names and any(map(self._prototypes.is_cut, call.args))
        if is_cut or ("get_errno" in names and self.libraries.keep_errno):
            self._refuse(NotUnderstood(call, USE))

    def _read_tables(self) -> None:
        """Take away the tables and loops that do nothing but declare functions."""
        tables = Tables(self.forest, self.values, self.libraries, self.deleted)
        self.deleted |= tables.gone()
        self._named += tables.read
        for statement, left in unbinding(self.forest, self.deleted):
            places = {f"left{index}": target for index, target in enumerate(left)}
            text = "del " + ", ".join(f"{{{name}}}" for name in places)
            self.statements[statement] = Template(text if left else "", places)

    def _text(self, node: ast.expr) -> None:
        """Refuse a C text that something else than `ffi.string` reads, or that is only passed on."""
        above = self.forest.parents[node]
        if not isinstance(above, ast.Assign | ast.Return | ast.Tuple) and not self._is_dressed(node):
            self._refuse(NotUnderstood(node, USE))

    def _is_of_old(self, base: Iterable[object]) -> bool:
        return any(isinstance(key, Ffi) and key in self.libraries.ffis for key in base)

    # ------------------------------------------------------------------ files

    def groups(self) -> list[list[Path]]:
        """Return the files that share a library, by the imports between them."""
        left, found = set(self.touched), []
        while left:
            family = self.libraries.family(min(left))
            found.append(sorted(family & self.touched))
            left -= family
        return found

    def edits(self, path: Path) -> tuple[Edits, set[ast.stmt]]:
        """Return the edits of one file, and the statements that go."""
        of_file = self.forest.path
        return Edits(
            {node: template for node, template in self.expressions.items() if of_file(node) == path},
            {node: template for node, template in self.statements.items() if of_file(node) == path},
        ), {statement for statement in self.deleted if of_file(statement) == path}

    def declared(self) -> frozenset[ast.AST]:
        """Return what binds the texts that are declared, and the names of libraries."""
        calls = (statement.value for statement in self.deleted if isinstance(statement, ast.Expr))
        read = [part for call in calls if isinstance(call, ast.Call) for part in call.args]
        read += [part for name in self._named for part in ast.walk(name) if isinstance(part, ast.expr)]
        names = (self.forest.of(part).of[part] for part in read if isinstance(part, ast.Name))
        fields = {part.attr for part in read if isinstance(part, ast.Attribute)}
        others = (node for _, node in self.forest.nodes(ast.Attribute) if node not in read)
        fields -= {node.attr for node in others}
        classes = (self.forest.of(node).scopes[node] for _, node in self.forest.nodes(ast.ClassDef))
        own = (variable for scope in classes for name, variable in scope.variables.items() if name in fields)
        return frozenset(binding for variable in (*names, *own) for binding in variable.bindings)

    def dropped(self) -> frozenset[Ffi]:
        """Return the FFI objects that are no longer needed."""
        return self.libraries.ffis - self._kept.keys()


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)
