"""The benchmark runs every rival and draws its conclusions; no speed is asserted here."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks._plan import Plan
from benchmarks._report import machine, write
from benchmarks._run import Row, idle_share, run_pair
from benchmarks._targets import Target, targets
from benchmarks.rivals import RIVALS

TINY = Plan(rounds=1, pings=20, messages=50, warm_up=1, idle_s=0.1)


@pytest.mark.parametrize("name", RIVALS)
def test_every_rival_carries_messages(name: str) -> None:
    if name == "pyzmq PAIR" and find_spec("zmq") is None:
        pytest.skip("pyzmq is an extra of the benchmarks")
    found = run_pair(name, TINY)
    assert [values["size"] for values in found] == list(TINY.sizes)
    assert all(values["p50_us"] > 0 and values["rate"] > 0 for values in found)


def test_idle_is_measured() -> None:
    assert idle_share(TINY) >= 0


def rows(slow: str) -> list[Row]:
    """Made-up rows in which one rival takes twice the time of all others."""
    return [
        Row(
            name,
            size,
            *(((2.0, 4.0), (3.0, 6.0), (5.0, 2.5)) if name == slow else ((1.0, 2.0), (1.5, 3.0), (10.0, 5.0))),
        )
        for name in RIVALS
        for size in TINY.sizes
    ]


def test_ratios_are_taken_within_a_round() -> None:
    """The second round was half as fast for everyone, which must not show."""
    assert {target.ratio for target in targets(rows(slow="none"), 0.0)[:-1]} == {1.0}
    missed = [target.name for target in targets(rows(slow="compat flat"), 0.5) if not target.met]
    assert "round trip 64 B: compat flat / raw seqpacket" in missed
    assert "blocking receive, idle: share of a core" in missed
    assert not [name for name in missed if "objects" in name]


def test_the_file_holds_rows_and_targets(tmp_path: Path) -> None:
    target = Target("one", 0.5, "at most", 1.0, "must")
    write(tmp_path / "build" / "bench.json", machine(), rows(slow="none"), [target])
    content = json.loads((tmp_path / "build" / "bench.json").read_text())
    assert set(content) == {"machine", "rows", "targets"}
    assert len(content["rows"]) == len(RIVALS) * len(TINY.sizes)
    assert content["targets"] == [
        {"name": "one", "ratio": 0.5, "bound": "at most", "goal": 1.0, "kind": "must", "met": True}
    ]
