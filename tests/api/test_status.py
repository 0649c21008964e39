"""docs/status.md: every function of the modern API has a spelling, and every spelling is there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import comch_next
from comch_next.api import function
from tests.fast_path.lane import Lane
from tests.processes import ROOT
from tools.status import spelling

PAGE = ROOT / "docs" / "status.md"
ROW = re.compile(r"^\| `(\w+)` \| [\w.]+ \| [^|]* \| `([^`]+)` \| ([^|]+) \|$", re.MULTILINE)
DPA = "message queue / DPA: raises NotSupported"


def rows() -> list[tuple[str, str, str]]:
    """Function, spelling and what is told of it."""
    return ROW.findall(PAGE.read_text(encoding="utf-8"))


@pytest.fixture
def objects() -> Iterator[dict[str, Any]]:
    """One object of each class that can be had, by the name of the class; of the others the class."""
    lane = Lane().run()
    send = lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id)
    post = lane.inbox.consumer.task_post_recv_alloc_init()
    message = lane.here.task()
    device = lane.there.context.device
    made = [lane.there.context, lane.here.context, lane.here.connection, device.devinfo]
    made += [lane.inbox.consumer, lane.outbox.producer, message, post, send]
    yield {"MsgQ": comch_next.MsgQ, "ConsumerCompletion": comch_next.ConsumerCompletion} | {
        type(each).__name__: each for each in made
    }
    for task in (send, post, message):
        task.free()
    lane.close()


def test_every_function_has_a_row() -> None:
    """Told by the file itself, not by the loader that the page is made with."""
    facts = json.loads((ROOT / "comch_next" / "api" / "comch.json").read_text(encoding="utf-8"))
    names = [each["name"] for each in (*facts["functions"], *facts.get("legacy_functions", ()))]
    assert [name for name, _, _ in rows()] == names
    assert len(names) == 113


def test_every_row_tells_one_of_two_things() -> None:
    assert {told for _, _, told in rows()} == {"implemented", DPA}
    refused = {name for name, _, told in rows() if told == DPA}
    assert refused >= {name for name, _, _ in rows() if function(name).header == "doca_comch_msgq.h"}
    assert not [name for name in refused if function(name).header == "doca_comch.h"]


def test_every_spelling_is_there(objects: dict[str, Any]) -> None:
    """The expressions themselves, with an object for the class."""
    for _, spelled, _ in rows():
        assert re.match(r"(len\()?[A-Z]", spelled)
        eval(spelled, {"len": len}, objects)


def test_a_function_without_a_spelling_is_told() -> None:
    unknown: Any = SimpleNamespace(name="doca_comch_server_fly", replaced_by=None)
    with pytest.raises(ValueError, match="doca_comch_server_fly has no spelling"):
        spelling(unknown)


def test_the_guide_and_the_readme_lead_to_the_page() -> None:
    for name in ("MIGRATION.md", "README.md"):
        assert "(docs/status.md)" in Path(ROOT / name).read_text(encoding="utf-8")
