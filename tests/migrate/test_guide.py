"""The table of codes in MIGRATION.md is the one that migrate knows."""

from __future__ import annotations

from tools.generate_codes import GUIDE, updated


def test_the_table_of_codes_is_fresh() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    assert updated(text) == text, "run python -m tools.generate_codes"
