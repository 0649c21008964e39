"""The members of the modern objects that migrate knows are those that there are."""

from __future__ import annotations

import inspect
from operator import attrgetter

import pytest

import comch_next as comch
from migrate.facts.modern import MODERN_MEMBERS
from migrate.old_api.generations import VOCABULARY
from migrate.rules._site import OWNERS

CLASSES = {"endpoint": comch.Channel} | {kind: attrgetter(name)(comch) for kind, name in OWNERS.items()}


def _has(cls: type, name: str) -> bool:
    """Whether a class has a member; a spelling of C that only helps with an error is none."""
    return not type(inspect.getattr_static(cls, name)).__module__.startswith("comch_next")


@pytest.mark.parametrize("kind", CLASSES)
def test_members(kind: str) -> None:
    cls = CLASSES[kind]
    own = {name for name in dir(cls) if not name.startswith("_") and _has(cls, name)}
    old = {name for of, name in VOCABULARY.methods if of == kind}
    assert MODERN_MEMBERS[kind] == own - old


def test_kinds() -> None:
    assert MODERN_MEMBERS.keys() == CLASSES.keys()
