"""The vocabularies of all generations, for whatever meets a program before it knows which ones that uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from migrate.old_api.generation_1 import GENERATION_1
from migrate.old_api.generation_1x import ATTRIBUTES, GENERATION_1X
from migrate.old_api.generation_2 import GENERATION_2
from migrate.old_api.vocabulary import Vocabulary, joined
from migrate.python.source import Source

VOCABULARY = joined(GENERATION_1, GENERATION_2)
_FIRST = re.compile(r"\b(doca_comm_channel|comm_channel_compat)\b")
_BEFORE_1_5 = re.compile(rf"\b{ATTRIBUTES}\b|\bcomm_channel_compat\s*(\.|import)\s*blocking\b")
# What names it in programs that call C: fields and functions of that time; and what programs since then have to call.
_OF_C_BEFORE_1_5 = re.compile(r"maxmsgs\b|event_channel_get\b|peer_addr_(info_get|user_data_[gs]et)\b")
_SET_DEVICE = re.compile(r"\bdoca_comm_channel_ep_set_device\b")
_SINCE_1_5 = re.compile(r"set_device\b|doca_cc")
_SECOND = re.compile(r"\bdoca_cc\b|\bcomm_channel_compat\s*(\.|import)\s*cc\b")


def vocabulary_of(sources: Collection[Source]) -> Vocabulary:
    """Return the vocabulary of the generations that files name: methods of others are those of other libraries."""
    if any(_uses(source, _BEFORE_1_5) for source in sources) and not any(_uses(it, _SET_DEVICE) for it in sources):
        return GENERATION_1X
    first = any(_FIRST.search(source.text) for source in sources)
    second = any(_SECOND.search(source.text) for source in sources)
    return (VOCABULARY if first else GENERATION_2) if second else GENERATION_1


def _uses(source: Source, name: re.Pattern[str]) -> bool:
    """Whether a file uses a name, beyond comments, texts, and imports that it only tries."""
    return bool(name.search(source.text)) and any(map(name.search, _used(source)))


def _used(source: Source) -> Iterator[str]:
    names = source.names
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name | ast.Attribute):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.alias) and not any(isinstance(above, ast.Try) for above in names.above(node)):
            statement = names.parents[node]
            yield f"{getattr(statement, 'module', None) or ''}.{node.name}"


def vocabulary_of_c(texts: Collection[str]) -> Vocabulary:
    """Return the vocabulary of files that call C: that of DOCA 1.2 to 1.4 alone, or that of all the others."""
    before = any(_BEFORE_1_5.search(text) or _OF_C_BEFORE_1_5.search(text) for text in texts)
    return GENERATION_1X if before and not any(map(_SINCE_1_5.search, texts)) else VOCABULARY
