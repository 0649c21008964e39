"""The classes of the old modules, each in every place where a type may stand."""

from __future__ import annotations

from operator import attrgetter

import pytest

import comch_next
from migrate.old_api.generation_1 import GENERATION_1
from migrate.old_api.generation_2 import GENERATION_2
from migrate.rewriting import rewrite

CLASSES = [
    (module, name)
    for module, vocabulary in (("doca_comm_channel", GENERATION_1), ("doca_cc", GENERATION_2))
    for name in vocabulary.classes
]
PLACES = (
    "held: old.{name} | None = None",
    'held: "old.{name} | None" = None',
    "held = None  # type: old.{name}",
    "held = isinstance(1, old.{name})",
    "from typing import cast\nheld = cast(old.{name}, 1)",
    "held = [old.{name}]",
    'held = hasattr(old, "{name}")',
)


@pytest.mark.parametrize(("module", "name"), CLASSES)
@pytest.mark.parametrize("place", PLACES)
def test_a_class_has_a_successor(module: str, name: str, place: str) -> None:
    outcome = rewrite(f"import {module} as old\n\n{place.format(name=name)}\n".encode())
    assert not outcome.skipped
    assert [finding.code for finding in outcome.findings if finding.code] == []
    assert b"old." not in outcome.new
    exec(outcome.new, {"__name__": "rewritten"})


@pytest.mark.parametrize(("module", "name"), CLASSES)
@pytest.mark.parametrize(
    "statement", ["class Mine(old.{name}): pass", "made = old.{name}", "match 1:\n    case old.{name}(): pass"]
)
def test_a_class_elsewhere_is_found(module: str, name: str, statement: str) -> None:
    outcome = rewrite(f"import {module} as old\n\n{statement.format(name=name)}\n".encode())
    assert not outcome.skipped
    assert any(finding.span.line > 2 for finding in outcome.findings)


def test_a_task_of_any_kind() -> None:
    kinds = {"SendTask", "PostRecvTask", "ProducerSendTask"}
    assert all(issubclass(attrgetter(kind)(comch_next), comch_next.task.Task) for kind in kinds)
