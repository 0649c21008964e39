"""The members of the modern objects that migrate knows are those that there are."""

from __future__ import annotations

import inspect

import pytest

import comch_next as comch
from migrate.facts.modern import MODERN_MEMBERS
from migrate.old_api.generation_1 import GENERATION_1

CLASSES = {
    "endpoint": comch.Channel,
    "peer": comch.Connection,
    "device": comch.Device,
    "representor": comch.Representor,
    "devinfo": comch.DevInfo,
    "repinfo": comch.RepInfo,
    "backend": comch.log.Backend,
}


def _has(cls: type, name: str) -> bool:
    """Whether a class has a member; a spelling of C that only helps with an error is none."""
    return not type(inspect.getattr_static(cls, name)).__module__.startswith("comch_next")


@pytest.mark.parametrize("kind", CLASSES)
def test_members(kind: str) -> None:
    cls = CLASSES[kind]
    own = {name for name in dir(cls) if not name.startswith("_") and _has(cls, name)}
    old = {name for of, name in GENERATION_1.methods if of == kind}
    assert MODERN_MEMBERS[kind] == own - old


def test_kinds() -> None:
    assert MODERN_MEMBERS.keys() == CLASSES.keys()
