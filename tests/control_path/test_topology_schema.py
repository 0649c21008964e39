"""The schema of topology files accepts what their reader accepts, and refuses what it refuses."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import comch_next as comch
from comch_next.driver import emulated
from comch_next.driver.emulated._fabric.topology import Limits, bounds, parse
from comch_next.errors import InvalidValue
from tests.documents.support import block

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = json.loads((Path(emulated.__file__).parent / "_fabric" / "topology.schema.json").read_text(encoding="utf-8"))

# Every key, with a value that differs from its default; no maximum is below what a default may be set to
WHOLE: dict[str, Any] = {
    "limits": {
        **{name: bounds(name)[0] for name in Limits._fields},
        "max_msg_size": 1 << 20,
        "max_queue_size": 1 << 16,
    },
    "device": [
        {
            "pci_addr": "0000:03:00.0",
            "side": "dpu",
            "capable": False,
            "working": False,
            "answers": False,
            "limits": {"max_clients": 3},
            "representor": [{"pci_addr": "B1:0.1", "func_type": "SF", "vuid": "mine", "vhca_id": 7}],
        }
    ],
}
TABLES: dict[str, tuple[Any, ...]] = {  # where each is, in WHOLE
    "topology": (),
    "limits": ("limits",),
    "device": ("device", 0),
    "limits of a device": ("device", 0, "limits"),
    "representor": ("device", 0, "representor", 0),
}
OF_TYPES: tuple[Any, ...] = ("text", 1.5, True, -1, 3, [], {}, [3], {"text": 1})


def at(table: str, whole: Any) -> Any:
    """The table of that name."""
    for step in TABLES[table]:
        whole = whole[step]
    return whole


KEYS = [(table, key) for table in TABLES for key in at(table, WHOLE)]


def reads(whole: Any) -> bool:
    """Whether the reader takes it."""
    try:
        parse(whole, "the test's topology")
    except InvalidValue:
        return False
    return True


def fits(whole: Any) -> bool:
    """Whether the schema does."""
    return bool(Draft202012Validator(SCHEMA).is_valid(whole))


def changed(table: str, key: str, value: Any) -> Any:
    """The whole with another value for the key."""
    whole = copy.deepcopy(WHOLE)
    at(table, whole)[key] = value
    return whole


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert reads(WHOLE)
    assert fits(WHOLE)


@pytest.mark.parametrize(("table", "key"), KEYS)
def test_they_agree_on_the_type_of_every_key(table: str, key: str) -> None:
    kept = at(table, WHOLE)[key]
    others = [value for value in OF_TYPES if type(value) is not type(kept)]
    for value in others:
        assert not reads(changed(table, key, value)), value
        assert not fits(changed(table, key, value)), value


@pytest.mark.parametrize(("table", "key"), KEYS)
def test_they_agree_on_what_has_to_be_there(table: str, key: str) -> None:
    whole = copy.deepcopy(WHOLE)
    del at(table, whole)[key]
    assert reads(whole) == fits(whole)


@pytest.mark.parametrize("table", TABLES)
def test_they_refuse_what_they_do_not_know(table: str) -> None:
    for key in ("colour", "representors", "pci_addr ", ""):
        assert not reads(changed(table, key, "red"))
        assert not fits(changed(table, key, "red"))


@pytest.mark.parametrize("limit", Limits._fields)
def test_they_agree_on_the_bounds_of_a_limit(limit: str) -> None:
    bounds = SCHEMA["$defs"]["limits"]["properties"][limit]
    assert bounds["default"] == getattr(Limits(), limit)
    for value in (bounds["minimum"] - 1, bounds["minimum"], bounds["maximum"], bounds["maximum"] + 1):
        is_legal = bounds["minimum"] <= value <= bounds["maximum"]
        assert reads(changed("limits", limit, value)) == fits(changed("limits", limit, value)) == is_legal


@pytest.mark.parametrize("key", ["side", "func_type", "pci_addr"])
def test_they_agree_on_words_and_addresses(key: str) -> None:
    table = "representor" if key == "func_type" else "device"
    words = ["host", "dpu", "HOST", "PF", "VF", "SF", "pf", "", "XF"]
    addresses = [
        "b1:00.0",
        "0000:b1:00.7",
        "1:2.3",
        "b1:00.8",
        "b1:00",
        "00000:b1:00.0",
        "g1:00.0",
        " b1:00.0",
        "b1:00.0 ",
    ]
    answers = [(reads(whole), fits(whole)) for whole in (changed(table, key, word) for word in words + addresses)]
    assert all(mine == other for mine, other in answers)
    assert {mine for mine, _ in answers} == {True, False}


def test_the_example_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = block("docs/topology.md", "pair.toml")
    assert fits(tomllib.loads(text))
    (tmp_path / "pair.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("COMCH_TOPOLOGY", str(tmp_path / "pair.toml"))
    addresses = [device.pci_addr_str for device in comch.devices()]
    assert addresses == ["0000:af:00.0", "0000:3b:00.0", "0000:3b:00.2"]


def test_the_page_lists_every_key() -> None:
    page = (Path(__file__).parents[2] / "docs" / "topology.md").read_text(encoding="utf-8")
    named = {key for table in ("topology", "device", "representor") for key in at(table, WHOLE)}
    assert not [key for key in named if f"`{key}`" not in page]
