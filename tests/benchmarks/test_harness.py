"""The benchmark runs every rival and scene and draws its conclusions; no speed is asserted here."""

import json
import os
import signal
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import _death, _migrate, _run, _storm
from benchmarks._compiled import COMPILED
from benchmarks._crowded import CROWDED
from benchmarks._death import SURVIVORS
from benchmarks._findings import Findings, Row, Series
from benchmarks._install import wanted
from benchmarks._plan import BULK_SIZE, IMMEDIATE_SIZE, Plan
from benchmarks._report import content_of, machine, show, write
from benchmarks._run import ROWS, deaths, idle_share, large_receive, measure, run_pair, storms
from benchmarks._storm import SERVERS
from benchmarks._survivors import KINDS
from benchmarks._targets import Target, targets
from benchmarks.rivals import CARRIERS, IMMEDIATE, RIVALS, SLEEPERS, absence
from tests.benchmarks.made_up import MEASURED, TINY, findings, rows
from tests.processes import SOON_S, python
from tools.bench_picture import picture
from tools.processes import ProcessError

pytestmark = pytest.mark.usefixtures("forked")

EXTRAS = ("pyzmq PAIR", "pynng Pair0", "iceoryx2 pub/sub")


def quietly(_: str) -> None:
    """Hears what is running."""


@pytest.mark.parametrize("name", [*RIVALS, *SLEEPERS, *COMPILED])
def test_every_rival_carries_messages(name: str) -> None:
    why = None if name in COMPILED else absence(name)
    if name in EXTRAS and why is not None:
        pytest.skip(f"an extra of the benchmarks: {why}")
    found = run_pair(name, TINY)
    assert [values["size"] for values in found] == list(TINY.sizes)
    assert all(values["p50_us"] > 0 and values["rate"] > 0 for values in found)


@pytest.mark.parametrize("name", CARRIERS)
def test_every_carrier_takes_large_buffers(name: str) -> None:
    (values,) = run_pair(name, TINY.bulk())
    assert values["size"] == BULK_SIZE
    assert min(values["p50_us"], values["rate"]) > 0


@pytest.mark.parametrize("name", IMMEDIATE)
def test_immediate_data_comes_back(name: str) -> None:
    (values,) = run_pair(name, TINY.immediate())
    assert values["size"] == IMMEDIATE_SIZE
    assert min(values["p50_us"], values["rate"]) > 0


@pytest.mark.parametrize("name", CROWDED)
def test_a_crowd_joins_the_pair(name: str) -> None:
    alone, among = run_pair(name, TINY, "crowded")
    assert (alone["idle"], among["idle"]) == (0, TINY.crowd)
    assert min(alone["p50_us"], among["p50_us"]) > 0


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine takes longer than what is measured may."""
    monkeypatch.setattr(_storm, "STORM_DEADLINE_S", 2 * SOON_S)
    monkeypatch.setattr(_death, "KILL_DEADLINE_S", 2 * SOON_S)


@pytest.mark.usefixtures("unhurried")
def test_every_server_weathers_a_storm() -> None:
    absent: dict[str, str] = {}
    found = storms(TINY, absent, quietly)
    assert absent == {}
    assert [series.name for series in found] == list(SERVERS)
    assert all(len(series.ms) == TINY.storms and min(series.ms) > 0 for series in found)


@pytest.mark.usefixtures("unhurried")
def test_every_survivor_hears_of_every_death() -> None:
    assert list(SURVIVORS) == list(KINDS)
    absent: dict[str, str] = {}
    found = deaths(TINY, absent, quietly)
    assert absent == {}
    assert [series.name for series in found] == list(SURVIVORS)
    assert all(len(series.ms) == TINY.kills and min(series.ms) > 0 for series in found)


def test_idle_is_measured() -> None:
    absent: dict[str, str] = {}
    assert idle_share(TINY, absent, quietly) is not None, absent


def test_the_largest_messages_are_measured() -> None:
    absent: dict[str, str] = {}
    assert large_receive(TINY, absent, quietly), absent


def test_the_share_of_the_library_in_a_cffi_script_is_measured() -> None:
    ended = python("-m", "benchmarks._foreign").finish()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [line.partition(":")[0] for line in ended.stdout.splitlines()] == ["cffi", "cffi, refused at once"]


def test_the_extras_are_named_in_the_project() -> None:
    assert {requirement.partition(">=")[0] for requirement in wanted()} == {"iceoryx2", "pynng", "pyzmq"}


def test_a_rival_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is left out of the measuring, and nowhere else."""
    monkeypatch.setattr(_run, "absence", lambda name: "no wheel" if name == "pyzmq PAIR" else None)
    measured: set[str] = set()

    def pair(name: str, plan: Plan, scene: str) -> list[dict[str, float]]:
        measured.add(name)
        return [made_up_row(size, idle) for size, idle in ROWS[scene](plan)]

    monkeypatch.setattr(_run, "run_pair", pair)
    for name in ("storms", "deaths"):
        monkeypatch.setattr(_run, name, lambda *_: [])
    for name in ("idle_share", "large_receive"):
        monkeypatch.setattr(_run, name, lambda *_: 0.0)
    monkeypatch.setattr(_migrate, "measure", lambda *_: {"tree_s": 1.0})
    found = _run.run(TINY, _migrate.QUICK, quietly)
    assert found.absent == {"pyzmq PAIR": "no wheel"}
    assert found.migrate == {"tree_s": 1.0}
    assert len(found.crowded) == 2 * len(CROWDED)
    assert measured == {*RIVALS, *COMPILED, *SLEEPERS, *IMMEDIATE, *CARRIERS, *CROWDED} - {"pyzmq PAIR"}


def made_up_row(size: int, idle: int = 0) -> dict[str, float]:
    return {"size": size, "idle": idle, "p50_us": 1.0, "p99_us": 2.0, "rate": 3.0}


HANG = "exec sleep 600"
TABLE = json.dumps([made_up_row(size) for size in TINY.sizes])
LISTEN, MEASURE = "echo listening", f"echo '{TABLE}'"

# A rival -> what its ends do, and what is said of it where it is not measured.
FAKES = {
    "first": (LISTEN, MEASURE, None),
    "never listens": (HANG, MEASURE, "nothing was written in time"),
    "stops in a word": (f"printf liste; {HANG}", MEASURE, "only 'liste' was written in time"),
    "never measures": (LISTEN, f"echo 'I wait' >&2; {HANG}", "did not end in time:\nI wait"),
    "never leaves": (f"{LISTEN}; {HANG}", MEASURE, "did not end in time"),
    "leaves a child": (LISTEN, f"sleep 600 & echo $! >$CHILD; {HANG}", "did not end in time"),
    "ends at once": ("echo 'no wheel' >&2", MEASURE, "ended before it said 'listening':\nno wheel"),
    "dies": (LISTEN, "kill -9 $$", "dies failed"),
    "dies beside a service that hangs": (f"{LISTEN}; {HANG}", "echo 'no peer' >&2; exit 3", "failed:\nno peer"),
    "fails in the end": (f"{LISTEN}; echo 'no end' >&2; exit 3", MEASURE, "failed:\nno end"),
    "says nothing": (LISTEN, "true", "no table of its round trips: ''"),
    "says something else": (LISTEN, r"printf 'what\377ever'", r"no table of its round trips: 'what\\xffever'"),
    "has a size too few": (LISTEN, f"echo '{json.dumps([made_up_row(64)])}'", "no table of its round trips"),
    "has no times": (LISTEN, f"echo '{TABLE.replace('1.0', '0')}'", "no table of its round trips"),
    "has lists": (LISTEN, "echo '[[1], [2]]'", "no table of its round trips"),
    "last": (LISTEN, MEASURE, None),
}


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where a fake rival writes which child it leaves behind, which is killed."""
    path = tmp_path / "child"
    monkeypatch.setenv("CHILD", str(path))
    yield path
    os.kill(int(path.read_text()), signal.SIGKILL)


@pytest.mark.usefixtures("child")
def test_a_rival_that_hangs_dies_or_talks_nonsense_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not asked again in the next round, and the others are measured."""
    run = _run.run_pair

    def in_time(name: str, plan: Plan, scene: str = "messages") -> list[Mapping[str, float]]:
        """Only those that hang are to meet their deadline."""
        hangs = "in time" in (FAKES[name][2] or "")
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(_run, "PAIR_DEADLINE_S", 2.0 if hangs else SOON_S)
            return run(name, plan, scene)

    monkeypatch.setattr(_run, "run_pair", in_time)
    monkeypatch.setattr(
        _run, "_command", lambda name, scene, folder, plan, side, cpu: ["sh", "-c", FAKES[name][side == "connect"]]
    )
    absent: dict[str, str] = {}
    told: list[str] = []
    found = measure(tuple(FAKES), replace(TINY, rounds=2), absent, told.append)
    well = [name for name, (_, _, why) in FAKES.items() if why is None]
    assert absent.keys() == FAKES.keys() - set(well)
    for name, (_, _, why) in FAKES.items():
        assert why is None or why in absent[name]
    one = ((1.0, 1.0), (2.0, 2.0), (3.0, 3.0))
    assert found == [Row(name, size, *one) for name in well for size in TINY.sizes]
    assert [text.partition(": ")[2] for text in told] == [*FAKES, *well]


def test_whatever_fails_is_named_and_no_target_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of which every part fails says so of each, and has all its targets, none of them met."""

    def fail(*_: object, **__: object) -> None:
        raise ProcessError("broken")

    for name in ("run_pair", "storm", "_output"):
        monkeypatch.setattr(_run, name, fail)
    monkeypatch.setattr(_migrate, "measure", fail)
    monkeypatch.setattr(_run, "absence", lambda _: None)
    found = _run.run(TINY, _migrate.QUICK, quietly)
    pairs = (*RIVALS, *COMPILED, *IMMEDIATE, *CARRIERS, *SLEEPERS, *(f"{name}, crowded" for name in CROWDED))
    ways = (*(f"connect storm, {name}" for name in SERVERS), *(f"death notice, {name}" for name in SURVIVORS))
    parts = ("blocking receive, idle", "largest messages", "migrate")
    assert found.absent == dict.fromkeys((*pairs, *ways, *parts), "broken")
    missed = [*targets(found), *_migrate.targets(found.migrate)]
    assert len(missed) == len(targets(findings())) + len(_migrate.WISHES)
    assert {target.value for target in missed} == {None}
    assert not [target for target in missed if target.met]
    picture(content_of(machine(), "2026-01-02 03:04 UTC", None, found, missed))


def reached(found: Findings) -> dict[str, Target]:
    return {target.name: target for target in targets(found)}


def test_ratios_are_taken_within_a_round() -> None:
    """The second round was half as fast for everyone, which must not show."""
    ratios = [target.value for name, target in reached(findings()).items() if " / " in name and "silent" not in name]
    assert set(ratios) == {1.0}
    assert len(ratios) == 35
    slow = replace(findings("compat flat"), idle_share=0.5, large_receive=2.2)
    before = reached(findings())
    missed = [name for name, target in reached(slow).items() if before[name].met and not target.met]
    assert "round trip 4080 B: compat flat / raw seqpacket" in missed
    assert "blocking receive, idle: share of a core" in missed
    assert "receive 65535 B: comch_next / a copy of as many bytes" in missed
    assert not [name for name in missed if "objects" in name]


def test_silent_clients_storms_and_deaths_are_musts() -> None:
    found = reached(findings())
    crowd, storm, death = (
        found[name]
        for name in (
            "round trip 64 B: comch_next tasks, among 5 silent clients / alone",
            "connect storm, callbacks: longest, ms",
            "death notice, service in receive(): p99, ms",
        )
    )
    assert crowd.value == pytest.approx(1.15)
    assert (storm.value, death.value) == (1999.0, 4.0)
    assert {target.kind for target in (crowd, storm, death)} == {"must"}
    assert crowd.met
    assert storm.met
    assert death.met
    late = Series("service in receive()", (*[1.0] * 197, 5.1, 5.1, 5.1))
    worse = replace(findings(), storms=[Series("callbacks", (900.0, 2001.0))], deaths=[late])
    assert not reached(worse)[storm.name].met
    assert not reached(worse)[death.name].met


def test_a_target_that_was_not_measured_is_not_met() -> None:
    found = replace(findings(), spinning=[row for row in rows("none") if row.name != "pyzmq PAIR"])
    target = reached(found)["one way 4080 B: comch_next tasks / pyzmq PAIR"]
    assert target.value is None
    assert not target.met


def test_the_report_names_what_is_missing() -> None:
    found = replace(findings(), absent={"pyzmq PAIR": "No module named 'zmq'"})
    console = Console(width=150)
    with console.capture() as captured:
        show(console, found, [Target("one", None, "at most", 1.0, "must")])
    text = captured.get()
    assert "pyzmq PAIR: not measured: No module named 'zmq'" in text
    assert "not measured" in text


def test_the_file_holds_rows_and_targets(tmp_path: Path) -> None:
    target = Target("one", 0.5, "at most", 1.0, "must")
    commit = {"id": "0123abcd", "date": "2026-01-01T00:00:00+00:00", "changed": False}
    path = tmp_path / "build" / "bench.json"
    write(path, content_of(machine(), "2026-01-02 03:04 UTC", commit, findings(), [target]))
    content = json.loads(path.read_text())
    tables = {"spinning", "sleeping", "crowded", "storms", "deaths", "absent", "migrate"}
    assert set(content) == {"date", "commit", "machine", "idle_share", "large_receive", *tables, "targets"}
    assert len(content["spinning"]) + len(content["sleeping"]) == len(MEASURED)
    times = {"times": 200, "p50_ms": 1.0, "p99_ms": 4.0, "p100_ms": 90.0}
    assert content["deaths"] == [{"name": name, **times} for name in SURVIVORS]
    assert content["migrate"] == {"tree_s": 4.0}
    assert content["targets"] == [
        {"name": "one", "value": 0.5, "bound": "at most", "goal": 1.0, "kind": "must", "pair": None, "met": True}
    ]
