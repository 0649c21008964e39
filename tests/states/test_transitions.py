"""The life of a context as a table: every pair of state and trigger, the forbidden ones included. No I/O."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import pytest

from comch_next import State
from comch_next.driver.emulated._state import CALLS, TRANSITIONS, Trigger
from tools import states

IDLE, STARTING, RUNNING, STOPPING = State.IDLE, State.STARTING, State.RUNNING, State.STOPPING

TABLES = TRANSITIONS, CALLS, State  # what docs/states.md is drawn from

# One row per trigger: where it leads from IDLE, STARTING, RUNNING and STOPPING; None is refused.
EXPECTED = {
    Trigger.START_NOW: (RUNNING, None, None, None),
    Trigger.START_LATER: (STARTING, None, None, None),
    Trigger.CONNECTED: (None, RUNNING, None, None),
    Trigger.REFUSED: (None, IDLE, None, None),
    Trigger.STOP_CLEAN: (None, IDLE, IDLE, STOPPING),
    Trigger.STOP_BUSY: (None, STOPPING, STOPPING, STOPPING),
    Trigger.FATAL: (None, None, STOPPING, None),
    Trigger.DRAINED: (None, None, None, IDLE),
}


@pytest.mark.parametrize(
    ("state", "trigger"), list(itertools.product(State, Trigger)), ids=lambda each: str(getattr(each, "name", each))
)
def test_every_pair(state: State, trigger: Trigger) -> None:
    assert TRANSITIONS.get((state, trigger)) is EXPECTED[trigger][state]


def test_no_row_beyond_them() -> None:
    assert set(TRANSITIONS) <= set(itertools.product(State, Trigger))
    assert set(EXPECTED) == set(Trigger)


def test_every_state_can_be_reached_and_left() -> None:
    assert set(TRANSITIONS.values()) == set(State)
    for state in State:
        assert any(old is state and new is not state for (old, _), new in TRANSITIONS.items())


def test_idle_is_reached_from_everywhere() -> None:
    reach = {State.IDLE}
    for _ in State:
        reach |= {old for (old, _), new in TRANSITIONS.items() if new in reach}
    assert reach == set(State)


def test_a_fatal_error_leads_to_stopping_and_nothing_else_does_so_unasked() -> None:
    to_stopping = {trigger for (old, trigger), new in TRANSITIONS.items() if new is State.STOPPING and old is not new}
    assert to_stopping == {Trigger.FATAL, Trigger.STOP_BUSY}


def test_every_call_is_legal_somewhere_and_configuration_only_while_idle() -> None:
    assert all(CALLS.values())
    configuration = {call for call in CALLS if call.startswith(("set_", "event_")) or call.endswith("set_conf")}
    assert len(configuration) == 8
    assert {CALLS[call] for call in configuration} == {frozenset({State.IDLE})}


def test_the_page_has_every_arrow_and_every_call() -> None:
    text = states.page(*TABLES)
    arrows = {(old.name, new.name) for (old, _), new in TRANSITIONS.items()}
    assert set(re.findall(r"^\| ([A-Z]+) \| ([A-Z]+) \|", text, re.MULTILINE)) == arrows
    assert set(states.MEANINGS) == {trigger.name for trigger in Trigger}
    rows = {call: cells.split("|") for call, cells in re.findall(r"^\| `(\w+)` \|(.*)\|$", text, re.MULTILINE)}
    assert rows.keys() == CALLS.keys()
    for call, cells in rows.items():
        assert [state for state, cell in zip(State, cells, strict=True) if "yes" in cell] == sorted(CALLS[call])


def test_the_picture_has_every_arrow_with_its_words() -> None:
    drawn = ElementTree.fromstring(states.picture(TRANSITIONS))
    paths = {path.get("d") for path in drawn.iterfind(".//{*}path[@class='arrow']")}
    arrows = {(old.name, new.name) for (old, _), new in TRANSITIONS.items()}
    assert paths == {states.PATHS[arrow].path for arrow in arrows}
    words = [text.text or "" for text in drawn.iterfind(".//{*}text[@class='soft']")]
    assert sorted(words) == sorted(states.MEANINGS[trigger.name] for _, trigger in TRANSITIONS)
    with pytest.raises(KeyError, match="RUNNING"):
        states.picture({**TRANSITIONS, (RUNNING, Trigger.CONNECTED): STARTING})
