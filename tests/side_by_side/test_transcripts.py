"""What a transcript's comparison sees, and what counts as a failure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tools.side_by_side import PairOutcome, Transcript, differences

TOLD = Transcript({"1": ("sent 1 bytes aa",)}, {"1": "sent 1"}, ("DOCA_SUCCESS",), 0, "", "")


@pytest.mark.parametrize(
    "changed",
    [
        replace(TOLD, messages={"1": ("sent 1 bytes bb",)}),
        replace(TOLD, messages={"2": ("sent 1 bytes aa",)}),
        replace(TOLD, statistics={"1": "sent 2"}),
        replace(TOLD, results=()),
        replace(TOLD, exit_status=1),
    ],
)
def test_every_fact_counts(changed: Transcript) -> None:
    assert differences(PairOutcome(TOLD, TOLD), PairOutcome(TOLD, TOLD)) == []
    assert len(differences(PairOutcome(TOLD, TOLD), PairOutcome(changed, TOLD))) == 1
    assert len(differences(PairOutcome(TOLD, TOLD, b"a", b"a"), PairOutcome(TOLD, changed, b"a"))) == 2


def test_failures_that_look_alike_are_no_success() -> None:
    crashed = replace(TOLD, messages={}, statistics={}, results=(), exit_status=1, errors="Traceback")
    assert PairOutcome(TOLD, TOLD).failures() == []
    assert len(PairOutcome(crashed, crashed).failures()) == 2
    assert "Traceback" in PairOutcome(TOLD, crashed).failures()[0]
    assert PairOutcome(replace(TOLD, messages={}), TOLD).failures() != []
    assert PairOutcome(TOLD, TOLD, b"a").failures() != []
