"""How much work programs are that call C: analyses and calls of Python functions are counted, not seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from migrate.bindings.files import groups
from migrate.bindings.knowledge import Bindings
from migrate.python import values
from migrate.python._points_to.engine import Engine
from migrate.python.source import Source
from migrate.rewriting import rewrite
from tests.migrate.counting import is_linear
from tests.migrate.test_bindings import CFFI
from tests.migrate.test_bindings_helpers import FORMS, LOOP, joined

TELLING = joined(LOOP.replace("        raise", "        print(name)\n        raise", 1), FORMS[LOOP])


@pytest.mark.parametrize(("program", "count"), [(CFFI, 1), (TELLING, 1), (joined(LOOP), 2)])
def test_a_step_that_changes_nothing_leaves_its_analysis_to_the_next(
    program: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def analysed(project: Any, knowledge: Any, *others: Any) -> Engine:
        made.append(knowledge)
        return Engine(project, knowledge, *others)

    monkeypatch.setattr(values, "Engine", analysed)
    rewrite(program.encode())
    assert len([knowledge for knowledge in made if isinstance(knowledge, Bindings)]) == count


def around_a_hub(parts: int) -> dict[Path, Source]:
    texts = {f"part{number}": "import hub\n" + "hub.used(1)\n" * 20 for number in range(parts)}
    texts |= {"hub": "def used(count): pass\n", "app": f"import hub\n{CFFI}"}
    return {Path(f"{name}.py"): Source(text.encode()) for name, text in sorted(texts.items())}


def test_files_around_one_that_all_import_are_linear_work() -> None:
    groups(around_a_hub(1), frozenset(), None)  # tables are read once
    projects = {parts: around_a_hub(parts) for parts in (10, 20, 40)}
    assert is_linear(lambda parts: groups(projects[parts], frozenset(projects[parts]), None))
