"""Unknown callers: which parameters they would fill with old handles, and whether there can be any."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property

from migrate.facts.forest import Forest
from migrate.facts.handles import COMMON, MODERN_TOO
from migrate.facts.texts import WORD
from migrate.facts.type_comments import parsed
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.values import Values

UNSEEN, _UNUSED = "CCM083", "CCM087"
_LOADING = frozenset(
    {"import_module", "__import__", "spec_from_file_location", "exec_module", "run_path", "run_module"}
)
_LOADING |= {"load_module", "entry_points", "iter_entry_points", "exec"}


class Callers:
    """Judges functions without a call in the project."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values

    def code(self, node: ast.AST) -> str:
        """Return the code for such a function: nobody calls what is in a script that nothing imports."""
        unused = not self._loads and self._values.project.is_script(self._forest.path(node))
        return _UNUSED if unused else UNSEEN

    @cached_property
    def _loads(self) -> bool:
        """Whether modules are loaded by names that are not written in the project."""
        calls = [call for _, call in self._forest.calls(_LOADING)]
        return not all(call.args and isinstance(call.args[0], ast.Constant) for call in calls)


def unseen_handles(forest: Forest, vocabulary: Vocabulary, annotated: Mapping[ast.arg, Set[str]]) -> dict[ast.arg, str]:
    """Return the kind of handle of every parameter that can be only that; `annotated`: see `annotated_kinds`."""
    distinct = _by_method(vocabulary)
    kinds = {node: annotated[node] or {*_used(node, forest, vocabulary, distinct)} for node in annotated}
    return {node: min(found) for node, found in kinds.items() if len(found) == 1}


def annotated_kinds(
    forest: Forest, vocabulary: Vocabulary, comments: Iterable[tuple[ast.Constant, ast.stmt]]
) -> dict[ast.arg, set[str]]:
    """Return the kinds of old classes that annotations of parameters name; `comments`: type comments, with owners."""
    commented = dict(_commented(comments))
    nodes = (node for _, node in forest.nodes(ast.arg))
    return {node: _annotated(node.annotation or commented.get(node), vocabulary) for node in nodes}


def _bears(node: ast.arg, kind: str, forest: Forest, vocabulary: Vocabulary) -> bool:
    """Whether a kind of handle has all attributes of a parameter; otherwise it is of a class of the program's own."""
    parents = (forest.parents[load] for load in forest.of(node).of[node].loads)
    asked = {parent.attr for parent in parents if isinstance(parent, ast.Attribute)}
    return all((kind, name) in vocabulary.methods for name in asked)


def _by_method(vocabulary: Vocabulary) -> Mapping[str, set[str]]:
    methods: dict[str, set[str]] = {}
    for kind, name in vocabulary.methods:
        methods.setdefault(name, set()).add(kind)
    return {name: kinds for name, kinds in methods.items() if name not in COMMON | MODERN_TOO}


def _commented(comments: Iterable[tuple[ast.Constant, ast.stmt]]) -> Iterator[tuple[ast.arg, ast.expr]]:
    """Yield the types that comments give parameters: one beside each, or all of them in `# type: (int) -> str`."""
    for comment, function in comments:
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        arguments, type_ = [*function.args.posonlyargs, *function.args.args], parsed(comment)
        if isinstance(type_, ast.FunctionType):  # of a method without self
            yield from zip(reversed(arguments), reversed(type_.argtypes), strict=False)
        elif isinstance(type_, ast.Expression):
            beside = [argument for argument in arguments if argument.end_lineno == comment.lineno]
            yield from ((argument, type_.body) for argument in beside[-1:])


def _annotated(annotation: ast.expr | None, vocabulary: Vocabulary) -> set[str]:
    """Return the kinds of the old classes that an annotation names, in quotes too; None and unions aside."""
    words = [part for part in ast.walk(annotation) if isinstance(part, ast.expr)] if annotation else []
    texts = [part.value for part in words if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    named = [part.attr for part in words if isinstance(part, ast.Attribute)]
    named += [part.id for part in words if isinstance(part, ast.Name)]
    named += [word for text in texts for word in WORD.findall(text)]
    return {vocabulary.classes[name] for name in named if name in vocabulary.classes}


def _used(node: ast.arg, forest: Forest, vocabulary: Vocabulary, distinct: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield the kinds that the uses of a parameter ask for: flat calls, and methods that only handles have."""
    for load in forest.of(node).of[node].loads:
        parent = forest.parents[load]
        if isinstance(parent, ast.Attribute) and parent.attr in distinct:
            kinds, is_plain_word = distinct[parent.attr], "_" not in parent.attr
            yield from (kind for kind in kinds if not is_plain_word or _bears(node, kind, forest, vocabulary))
        elif isinstance(parent, ast.Call) and load in parent.args:
            name = parent.func.attr if isinstance(parent.func, ast.Attribute) else getattr(parent.func, "id", "")
            function = vocabulary.flat.get(name)
            position = parent.args.index(load)
            if function and position < len(function.inputs):
                kind = function.kinds.get(function.inputs[position], "")
                if kind and not kind.endswith("[]"):
                    yield kind
