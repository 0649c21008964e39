"""The part of the benchmarks that measures migrate: its trees are programs, its runs give numbers."""

from __future__ import annotations

import ast
from pathlib import Path

from benchmarks._migrate import Size, measure, targets
from benchmarks._tree import AFFECTED, large_file, write_tree


def test_the_trees_are_programs_of_the_size_that_is_asked_for(tmp_path: Path) -> None:
    write_tree(tmp_path, 15_000)
    texts = [path.read_text() for path in tmp_path.rglob("*.py")]
    assert sum("doca_" in text for text in texts) == AFFECTED
    assert 13_000 < sum(text.count("\n") for text in texts) < 19_000
    for text in (*texts, large_file(1000).decode()):
        ast.parse(text)


def test_everything_is_measured() -> None:
    found = measure(Size(tree=2000, sample=1000, program=600, file=300), lambda _: None)
    assert min(found.values()) > 0
    assert len(targets(found)) == 5
