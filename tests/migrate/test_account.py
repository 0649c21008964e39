"""Old references are counted by a scanner of its own: each is edited, or commented, or not code."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate import rewrite
from migrate._explain import cases
from tests.migrate.scan import scan, uncovered

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "samples_legacy").glob("*.py"), *(ROOT / "tests" / "migrate" / "foreign").glob("*.py")])
SPELLINGS = {
    "import doca_comm_channel as cc\n": "import comm_channel_compat as cc\n",
    "from doca_comm_channel import *\n": "from comm_channel_compat import *\n",
}
# Names that are bound in the file in a way that only scope rules tell from the import; the scanner has none.
SHADOWED = {"codes: a shadowed name"}


def texts() -> list[tuple[str, str]]:
    """Name and text of everything that is counted."""
    found = [(path.name, path.read_text()) for path in FILES if path.name != "py2_tool.py"]
    for case in cases():
        if f"{case.rule}: {case.title}" not in SHADOWED:
            found.append((f"{case.rule}: {case.title}", case.before))
            for old, new in SPELLINGS.items():
                if old in case.before:
                    found.append((f"{case.rule}: {case.title} ({new.split()[1]})", case.before.replace(old, new)))
    return found


@pytest.mark.parametrize(("name", "text"), texts(), ids=[name for name, _ in texts()])
def test_every_reference_is_edited_or_commented(name: str, text: str) -> None:
    outcome = rewrite(text.encode(), name)
    assert not outcome.skipped
    edited = {(each.line, each.column) for each in outcome.edits}
    refused = {(each.line, each.column) for each in outcome.refusals}
    missed = [each for each in scan(text) if (each.line, each.column) not in edited | refused]
    assert not missed
    after = outcome.new.decode()
    assert not uncovered(after)
    before_count = len([each for each in scan(text) if (each.line, each.column) in refused])
    assert len(scan(after)) == before_count


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_second_run_edits_nothing(path: Path) -> None:
    once = rewrite(path.read_bytes(), path.name)
    again = rewrite(once.new, path.name)
    assert (again.new, again.edits) == (once.new, ())


@pytest.mark.parametrize("path", sorted((ROOT / "samples_legacy").glob("*.py")), ids=lambda path: path.name)
def test_no_legacy_call_is_left_in_a_sample(path: Path) -> None:
    outcome = rewrite(path.read_bytes(), path.name)
    assert not outcome.refusals
    assert not scan(outcome.new.decode())


TALK = """import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
{call}
"""
FLAT = """from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
print(rc, [rc])
"""


@pytest.mark.parametrize("call", ["peer.update_info()", 'ep.sendto(b"m", peer)', "print(ep.recvfrom(64)[0])"])
def test_a_file_that_talks_is_told_of_the_departure(call: str) -> None:
    outcome = rewrite(TALK.format(call=call).encode())
    assert outcome.refusals == ()
    assert [each.code for each in outcome.notes] == ["CCM061"]


def test_a_file_that_stays_old_is_not_told() -> None:
    outcome = rewrite(TALK.format(call='ep.sendto(b"m", peer)\nprint(peer)').encode())
    assert outcome.refusals
    assert outcome.notes == ()


def test_a_file_with_codes_is_told_what_they_print() -> None:
    assert [each.code for each in rewrite(FLAT.encode()).notes] == ["CCM063"]


def test_one_place_can_have_both_notes() -> None:
    text = TALK.format(call="rc = cc.flat.doca_comm_channel_peer_addr_update_info(peer)")
    assert {each.code for each in rewrite(text.encode()).notes} == {"CCM061", "CCM063"}


def test_a_length_that_may_not_fit_is_told() -> None:
    start = FLAT + "rc, dev = doca_dev_open(devs[0])\n"
    start += "def send(ep, msg, n, peer):\n    doca_comm_channel_ep_sendto(ep, {}, 0, peer)\n"
    start += "rc, ep = doca_comm_channel_ep_create()\ndoca_comm_channel_ep_set_device(ep, dev)\n"
    start += "rc, peer = doca_comm_channel_ep_connect(ep, 'svc')\nassert rc == DOCA_SUCCESS\nsend(ep, b'x', 64, peer)\n"
    for arguments, told in (("msg, n", True), ("b'abc', 64", True), ("b'abc', 2", False), ("msg, len(msg)", False)):
        notes = {each.code for each in rewrite(start.format(arguments).encode()).notes}
        assert ("CCM066" in notes) is told, arguments


SETS_UP = {"set_device_rep(rep)\n    ep.listen('svc')": True, "connect('svc')": False}


@pytest.mark.parametrize(("call", "told"), SETS_UP.items())
def test_who_listens_and_looks_for_an_abort_is_told_of_the_other_code(call: str, told: bool) -> None:
    start = "import comm_channel_compat as cc\ndev = cc.open_device('03:00.0')\nrep = dev.open_representor('b1:00.0')\n"
    text = f"ep = cc.Endpoint()\nep.set_device(dev)\ntry:\n    ep.{call}\nexcept cc.ConnectionAborted as error:\n"
    outcome = rewrite((start + text + "    raise SystemExit(error.name)\nep.destroy()\n").encode())
    assert outcome.refusals == ()
    assert ("CCM067" in {each.code for each in outcome.notes}) is told
