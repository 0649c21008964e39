"""What COMCH_FAULTS may say, and how calls are counted."""

from __future__ import annotations

import pytest

import comch_next as comch
from comch_next.driver import load
from comch_next.driver.emulated._faults.faults import GRAMMAR, Fault, Faults
from comch_next.driver.emulated._port import open_port
from comch_next.errors import InvalidValue, NotSupported

WRONG = [
    "again",
    "again:send",
    "again:send@",
    "again:send@0",
    "again:send@-1",
    "again:send@1x0",
    "again:send@1=2s",
    "again:service@1",
    "again:receive@1",
    "again:send@1;drop:send@2",
    "again:send@1,",
    ",again:send@1",
    "full:send@1",
    "full:send@1x3",
    "full:send@1=2",
    "full:send@1=s",
    "full:send@1=-1s",
    "full:send@1=1e3s",
    "drop@50",
    "drop:send@1x2",
    "delay:service@1",
    "delay:send@1=1s",
    "AGAIN:send@1",
    "again: send@1",
    "again:send@\u0661",  # a digit, and not one of ours
    " ",
]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("again:send@10", Fault("again", "send", 10)),
        (" again:task@10x3 ", Fault("again", "task", 10, times=3)),
        ("full:producer@20=0.5s", Fault("full", "producer", 20, seconds=0.5)),
        ("drop:send@50", Fault("drop", "send", 50)),
        ("delay:service@1=12s", Fault("delay", "service", 1, seconds=12)),
    ],
)
def test_a_fault(text: str, fault: Fault) -> None:
    assert Fault.parse(text) == fault


def test_the_grammars_own_example() -> None:
    example = GRAMMAR.rpartition("For example: ")[2]
    assert len([Fault.parse(part) for part in example.split(",")]) == 4


@pytest.mark.parametrize("text", WRONG)
def test_bad_text_is_an_error_at_load(monkeypatch: pytest.MonkeyPatch, fresh_driver: None, text: str) -> None:
    monkeypatch.setenv("COMCH_FAULTS", text)
    for _ in range(2):
        with pytest.raises(InvalidValue) as caught:
            comch.devices()
        assert GRAMMAR in str(caught.value)


def test_it_is_for_the_emulated_driver_only(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    monkeypatch.setenv("COMCH_FAULTS", "again:send@1")
    with pytest.raises(NotSupported, match="COMCH_FAULTS is for the emulated driver only"):
        load("native")


def test_without_text_nothing_is_faulty(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    monkeypatch.setenv("COMCH_FAULTS", "")
    opens: object = load().open_port
    assert opens is open_port


def strikes(faults: Faults, kind: str, calls: int) -> list[str | None]:
    """What befalls so many calls, of which each that nothing befalls is accepted."""
    told = []
    for _ in range(calls):
        told.append(faults.next(kind))
        if told[-1] is None:
            faults.accepted(kind)
    return told


def test_refusals_do_not_count() -> None:
    faults = Faults("again:send@2x2, again:send@3, drop:send@5")
    assert strikes(faults, "send", 9) == [None, "again", "again", None, "again", None, None, "drop", None]


def test_what_the_library_refuses_does_not_count() -> None:
    faults = Faults("again:send@2")
    assert [faults.next("send") for _ in range(3)] == [None] * 3
    assert strikes(faults, "send", 2) == [None, "again"]


def test_kinds_are_counted_apart() -> None:
    faults = Faults("again:send@1, again:task@2")
    assert strikes(faults, "task", 2) == [None, "again"]
    assert strikes(faults, "send", 2) == ["again", None]


def test_a_stretch_ends_by_itself() -> None:
    faults = Faults("full:send@1=0.05s, full:task@1=1000s")
    told: list[str | None] = []
    while None not in told:
        told.append(faults.next("send"))
    assert set(told[:-1]) == {"full"}
    assert strikes(faults, "task", 3) == ["full"] * 3
    assert 900 < faults.left("task") <= 1000
