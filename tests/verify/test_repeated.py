"""The command that verifies every program again and again tells a false alarm from the verdict of the table."""

from __future__ import annotations

import pytest

from tests.verify import repeated, table

NAME = "others/cffi_direct"


def test_no_false_alarm(capsys: pytest.CaptureFixture[str]) -> None:
    assert repeated.main(["--times", "2", NAME]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{NAME}: {table.VERDICTS[NAME]}: 4 runs in ")
    assert last == "1 programs, 2 times each: no false alarms"


def test_a_false_alarm(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.VERDICTS, NAME, "CCM033")
    assert repeated.main(["--times", "1", NAME]) == 1
    assert capsys.readouterr().out.startswith(f"FALSE ALARM {NAME}\n")


def test_a_name_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        repeated.main(["nothing"])
    assert "no program is named nothing" in capsys.readouterr().err
