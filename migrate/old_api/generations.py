"""The vocabularies of all generations, for whatever meets a program before it knows which ones that uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from migrate.old_api.generation_1 import GENERATION_1
from migrate.old_api.generation_1x import ATTRIBUTES, GENERATION_1X
from migrate.old_api.generation_2 import GENERATION_2
from migrate.old_api.vocabulary import Vocabulary, joined

VOCABULARY = joined(GENERATION_1, GENERATION_2)
_FIRST = re.compile(r"\b(doca_comm_channel|comm_channel_compat)\b")
_BEFORE_1_5 = re.compile(rf"\b{ATTRIBUTES}\b|\bcomm_channel_compat\s*(\.|import)\s*blocking\b")
# What names it in programs that call C: fields and functions of that time; and what programs since then have to call.
_OF_C_BEFORE_1_5 = re.compile(r"maxmsgs\b|event_channel_get\b|peer_addr_(info_get|user_data_[gs]et)\b")
_SINCE_1_5 = re.compile(r"set_device\b|doca_cc")
_SECOND = re.compile(r"\bdoca_cc\b|\bcomm_channel_compat\s*(\.|import)\s*cc\b")


def vocabulary_of(texts: Iterable[str]) -> Vocabulary:
    """Return the vocabulary of the generations that files name: methods of others are those of other libraries."""
    first = second = False
    for text in texts:
        if _BEFORE_1_5.search(text):
            return GENERATION_1X
        first, second = first or bool(_FIRST.search(text)), second or bool(_SECOND.search(text))
    return (VOCABULARY if first else GENERATION_2) if second else GENERATION_1


def vocabulary_of_c(texts: Collection[str]) -> Vocabulary:
    """Return the vocabulary of files that call C: that of DOCA 1.2 to 1.4 alone, or that of all the others."""
    before = any(_BEFORE_1_5.search(text) or _OF_C_BEFORE_1_5.search(text) for text in texts)
    return GENERATION_1X if before and not any(map(_SINCE_1_5.search, texts)) else VOCABULARY
