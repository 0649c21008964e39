"""The command that verifies every program again and again tells a false alarm from the verdict of the table."""

from __future__ import annotations

import pytest

from tests.verify import repeated, table
from tests.verify.cases import CASES

NAME = "others/cffi_direct"


def test_no_false_alarm(capsys: pytest.CaptureFixture[str]) -> None:
    assert repeated.main(["--times", "2", NAME]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"1/1 {NAME}: {table.VERDICTS[NAME]}: 4 runs in ")
    assert last == "1 program of 1, 2 times each: no false alarms"


def test_a_false_alarm(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table.VERDICTS, NAME, "CCM033")
    assert repeated.main(["--times", "1", NAME]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"1/1 FALSE ALARM {NAME}\n")
    assert out.endswith(f"1 program of 1, 1 time each: 1 false alarm: {NAME}\n")


def test_what_breaks_is_an_alarm_of_its_program(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(name: str, *_: object, **__: object) -> None:
        if name == NAME:
            raise OSError("no room")

    monkeypatch.setattr(repeated, "verified", broken)
    monkeypatch.setattr(repeated, "CASES", {NAME: CASES[NAME]})
    assert repeated.main(["--times", "1", "others/cffi"]) == 1
    out = capsys.readouterr().out
    assert "OSError: no room" in out
    assert out.endswith(f"1 program of 1, 1 time each: 1 false alarm: {NAME}\n")


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_the_parts_are_all_programs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, parts: int
) -> None:
    monkeypatch.setattr(repeated, "_line", lambda name, times: (name, False))
    assert [repeated.main(["--part", f"{part}/{parts}"]) for part in range(1, parts + 1)] == [0] * parts
    lines = capsys.readouterr().out.splitlines()
    verified = [line.partition(" ")[2] for line in lines if not line.endswith("no false alarms")]
    assert sorted(verified) == sorted(CASES)


@pytest.mark.parametrize("part", ["0/2", "3/2", "2", "1/", "a/b"])
def test_a_part_that_is_none(capsys: pytest.CaptureFixture[str], part: str) -> None:
    with pytest.raises(SystemExit):
        repeated.main(["--part", part])
    assert "is not K/N" in capsys.readouterr().err


def test_a_name_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        repeated.main(["nothing"])
    assert "no program is named nothing" in capsys.readouterr().err
