"""Whether a project has the old API from anywhere: an import of it, a name of C, or a text that is read as one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest
from migrate.facts.texts import OPENERS, WORD, is_annotation, is_old_word, reader
from migrate.old_api.c_names import is_c_name
from migrate.old_api.generations import VOCABULARY
from migrate.python.known_calls import IMPORTING, LOADING, RUNNING


def has_old_source(forest: Forest) -> bool:
    """Whether handles of the old API can be in a project; where they cannot, no unknown object is one.

    The name of an old module in prose, or in the name of a logger, brings none.
    """
    if any(map(VOCABULARY.package, _imported(forest))) or any(map(is_c_name, _identifiers(forest))):
        return True
    texts = [node for _, node in forest.nodes(ast.Constant) if _names_old(node.value)]
    return bool(texts) and (_is_computed(forest) or any(_is_read(forest, node) for node in texts))


def _imported(forest: Forest) -> Iterator[str]:
    """Iterate over the dotted names of modules that imports name; of a name in one, the module's."""
    yield from (alias.name for _, alias in forest.nodes(ast.alias))
    yield from (statement.module or "" for _, statement in forest.nodes(ast.ImportFrom))


def _identifiers(forest: Forest) -> Iterator[str]:
    yield from (node.id for _, node in forest.nodes(ast.Name))
    yield from (node.attr for _, node in forest.nodes(ast.Attribute))
    yield from (alias.name for _, alias in forest.nodes(ast.alias))


def _names_old(value: object) -> bool:
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return isinstance(text, str) and any(map(is_old_word, WORD.findall(text)))


def _is_read(forest: Forest, node: ast.Constant) -> bool:
    return bool(reader(forest, node)) or is_annotation(forest, node)


def _is_computed(forest: Forest) -> bool:
    """Whether code is imported, opened or run by a text that is not written there: any text may be that."""
    calls = (call for _, call in forest.calls(IMPORTING, LOADING, OPENERS, RUNNING))
    return not all(call.args and isinstance(call.args[0], ast.Constant) for call in calls)
