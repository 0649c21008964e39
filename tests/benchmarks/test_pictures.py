"""The pictures of the benchmarks, from made-up results."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from tests.benchmarks.made_up import content
from tests.processes import ROOT
from tools.bench_picture import committed, picture, size_words
from tools.charts import Axis, Goal, Panel, Row, draw

SPACE = "{http://www.w3.org/2000/svg}"
SIZES = {"soft": 12.5, "name": 14.0}
WIDEST = 0.56  # of the fonts' characters on average, in sizes of the font


def drawn(text: str) -> ElementTree.Element:
    """A picture that has no text beyond its edges, and no part without a style."""
    root = ElementTree.fromstring(text)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for part in root.iter(f"{SPACE}text"):
        words, x, y = part.text or "", float(part.attrib["x"]), float(part.attrib["y"])
        length = len(words) * SIZES[part.attrib["class"]] * WIDEST
        before = {"start": 0.0, "middle": length / 2, "end": length}[part.attrib["text-anchor"]]
        assert x - before >= 0, words
        assert x - before + length <= width, words
        assert 0 < y < height, words
    styles = "".join(part.text or "" for part in root.iter(f"{SPACE}style"))
    light, dark = (
        re.sub(r"@media[^{]*\{((?:[^{}]*\{[^}]*\})*)\s*\}", "", styles),
        "".join(re.findall(r"prefers-color-scheme: dark\) \{((?:[^{}]*\{[^}]*\})*)", styles)),
    )
    kinds = {part.attrib["class"] for part in root.iter() if "class" in part.attrib}
    assert not [kind for kind in kinds if f".{kind}" not in light]
    assert not [kind for kind in kinds - {"name"} if f".{kind}" not in dark]  # a name has the colour of all texts
    return root


def words_of(root: ElementTree.Element) -> Counter[str]:
    return Counter(part.text or "" for part in root.iter(f"{SPACE}text"))


def parts(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [part for part in root.iter() if part.get("class") == kind]


def test_every_row_and_target_is_in_the_picture() -> None:
    made = content(slow="compat flat")
    words = words_of(drawn(picture(made)))
    tables = ("spinning", "sleeping", "crowded", "storms", "deaths")
    rows = Counter(
        f"{row['name']}, {row['idle']} silent" if row.get("idle") else row["name"]
        for table in tables
        for row in made[table]
    )
    rows += Counter(row["name"] for table in tables for row in made[table] if row.get("rate"))  # in two panels
    assert {name: words[name] for name in rows} == dict(rows)
    for target in made["targets"]:
        pair = target["pair"]
        assert words[target["name"] if pair is None else f"{pair['ours']}, {size_words(pair['size'])}"]


def test_a_picture_says_where_it_is_from_and_what_is_missing() -> None:
    made = content() | {"absent": {"pyzmq PAIR": "no wheel"}}
    words = words_of(drawn(picture(made)))
    assert words["Made-up processor, 2 CPUs, Python 3.11.0"] == 1
    assert words["Measured on 2026-02-01 12:00 UTC, commit 000000000000"] == 1
    assert words["Not measured: pyzmq PAIR"] == 1


def test_a_goal_of_a_row_is_a_multiple_of_the_others_median() -> None:
    rows = [
        {"name": name, "size": 64, "idle": 0, "p50_us": p50, "p99_us": 2 * p50, "rate": rate}
        for name, p50, rate in (("raw", 10.0, 0.0), ("ours", 8.0, 5000.0))
    ]
    pair = {"measure": "round trip", "ours": "ours", "theirs": "raw", "size": 64}
    target = {"name": "", "value": 0.8, "bound": "at most", "goal": 0.5, "kind": "must", "met": False, "pair": pair}
    root = drawn(picture(content() | {"spinning": rows, "sleeping": [], "crowded": [], "targets": [target]}))
    in_us, as_ratio = (float(part.attrib["x1"]) for part in parts(root, "goal"))
    dots, spread = parts(root, "missed"), parts(root, "spread")
    assert [float(dot.attrib["cx"]) > place for dot, place in zip(dots, (in_us, as_ratio), strict=True)] == [True, True]
    raw = float(spread[0].attrib["x1"])  # 10 us; the line to the 99th percentile is as long as that from the goal
    assert float(spread[0].attrib["x2"]) - raw == pytest.approx(raw - in_us, abs=0.2)
    assert words_of(root)["0.8 (≤ 0.5)"] == 1
    assert words_of(root)["ours"] == 2
    assert words_of(root)["raw"] == 1  # no rate was measured


def test_what_was_not_measured_has_no_dot() -> None:
    root = drawn(draw("a title", [], [Panel("a panel", (Row("a", None, "not measured", goals=(Goal(2.0, False),)),))]))
    assert words_of(root)["not measured"] == 1
    assert len(parts(root, "goal")) == 1
    assert not list(root.iter(f"{SPACE}circle"))


def test_names_are_escaped_and_long_notes_wrapped() -> None:
    words = words_of(drawn(draw("<&>", ["many words " * 50], [Panel("a & b", (Row("a < b", 1.0, ">"),))])))
    assert words["a < b"] == words["a & b"] == words["<&>"] == 1
    assert sum(text.startswith("many words") for text in words) > 1


def test_a_name_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="the panel 'a panel' has a text that is too long"):
        draw("a title", [], [Panel("a panel", (Row("a" * 200, 1.0, "1"),))])


@pytest.mark.parametrize(
    "values", [(1.0,), (0.98, 1.02), (0.3, 40.0), (2.1, 4.9), (0.0,), (1e-3, 1e9), (5.0, 135979.0), (3.3, 3.3)]
)
@pytest.mark.parametrize("width", [100, 600])
def test_an_axis_has_ticks_that_do_not_touch(values: tuple[float, ...], width: int) -> None:
    axis = Axis.around(values, 50, width)
    places = [axis.place(value) for value in (*axis.ticks(), *values)]
    assert all(50 <= place <= 50 + width for place in places)
    ticks = places[: len(axis.ticks())]
    assert ticks
    longest = max(len(f"{tick:g}") for tick in axis.ticks()) * SIZES["soft"] * WIDEST
    assert all(after - before > longest for before, after in pairwise(ticks))


def test_the_committed_picture_is_of_the_committed_data() -> None:
    assert (ROOT / "docs" / "benchmarks.svg").read_text(encoding="utf-8") == committed()
    assert drawn(committed()) is not None


def test_the_data_are_those_of_the_page() -> None:
    """All figures of its tables, rounded as there, except those in brackets, which are targets and ranges."""
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    data = json.loads((ROOT / "docs" / "benchmarks.json").read_text(encoding="utf-8"))
    cells = (re.sub(r"\([^)]*\)", "", line).split("|")[1:] for line in page.splitlines() if line.startswith("|"))
    figures = [
        figure for first, *rest in cells if first.strip(" -") for cell in rest for figure in re.findall(r"[\d.]+", cell)
    ]
    values = [target["value"] for target in data["targets"] if target["value"] is not None]
    assert figures
    assert not [
        figure
        for figure in figures
        if float(figure) not in (round(value, len(figure.partition(".")[2])) for value in values)
    ]
    machine = data["machine"]
    assert f"{machine['processor']}, Python {machine['python']}" in page
