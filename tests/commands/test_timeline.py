"""The timeline of traces: both ends of each message found, as text and as a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from comch_next import InvalidValue
from comch_next.__main__ import main
from comch_next._timeline import Event, Timeline, read, svg, text
from tests.both_ends import BOTH_ENDS
from tests.commands.support import run
from tests.processes import StartPython

SERVER, CLIENT, OTHER = 1, 2, 3  # processes
_IS_SENT = {"result": "DOCA_SUCCESS"}


def _line(t: int, pid: int, what: str, connection: int = 1, **facts: Any) -> str:
    side = "server" if pid == SERVER else "client"
    line = {"seq": t, "t": t * 1_000_000, "pid": pid, "what": what, "service": "svc", "side": side}
    return json.dumps({**line, "connection": connection, **facts})


def _message(t: int, pid: int, what: str, digest: str, n: int = 1, **facts: Any) -> str:
    sent = _IS_SENT if what == "send" else {}
    return _line(t, pid, what, **{"n": n, "length": 4, "digest": digest * 16, **sent, **facts})


def _read(*lines: str) -> Timeline:
    return read([("trace", "\n".join(lines))])


def _pairs(timeline: Timeline) -> list[tuple[int, int]]:
    """When each message was sent and received, in ms."""
    ends = [(event, event.peer) for event in timeline.events if event.is_send and event.peer]
    assert all(peer.peer is event for event, peer in ends)
    return [(_ms(event), _ms(peer)) for event, peer in ends]


def _ms(event: Event) -> int:
    return event.at_ns // 1_000_000


def test_two_clients_whose_connections_are_numbered_otherwise() -> None:
    """The first connection of each client; equal messages are those of the connection that others were of."""
    timeline = _read(
        _message(0, CLIENT, "send", "a"),
        _message(1, OTHER, "send", "b"),
        _message(2, SERVER, "receive", "b", connection=1),
        _message(3, SERVER, "receive", "a", connection=2),
        _message(4, CLIENT, "send", "c", n=2),
        _message(5, OTHER, "send", "c", n=2),
        _message(6, SERVER, "receive", "c", n=2, connection=1),
        _message(7, SERVER, "receive", "c", n=2, connection=2),
    )
    assert _pairs(timeline) == [(0, 3), (1, 2), (4, 7), (5, 6)]


def test_a_message_that_was_never_received() -> None:
    """Its connection had ended before the next one began, which carries the same words."""
    timeline = _read(
        _line(0, SERVER, "up", ok=True),
        _line(1, CLIENT, "up", ok=True),
        _message(2, CLIENT, "send", "a"),
        _line(3, CLIENT, "down"),
        _line(4, SERVER, "up", connection=2, ok=True),
        _line(5, CLIENT, "up", connection=2, ok=True),
        _message(6, CLIENT, "send", "a", connection=2),
        _message(7, SERVER, "receive", "a", connection=2),
        _message(8, SERVER, "send", "b", connection=2),
        _message(9, CLIENT, "receive", "b", connection=2),
    )
    assert _pairs(timeline) == [(6, 7), (8, 9)]


@pytest.mark.parametrize(
    "ended",
    [
        {"what": "down", "ok": False},
        {"what": "lost", "result": "DOCA_ERROR_CONNECTION_RESET"},
        {"what": "disconnect", "result": "DOCA_SUCCESS"},
    ],
    ids=lambda facts: str(facts["what"]),
)
def test_a_connection_that_ended_before_another_began(ended: dict[str, Any]) -> None:
    sent = [_message(0, SERVER, "send", "a"), _line(1, SERVER, **ended)]
    up = _line(2, CLIENT, "up", ok=True)
    timeline = _read(*sent, up, _message(3, SERVER, "send", "a", connection=2), _message(4, CLIENT, "receive", "a"))
    assert _pairs(timeline) == [(3, 4)]


def test_a_disconnect_that_was_refused_ends_nothing() -> None:
    refused = _line(1, SERVER, "disconnect", result="DOCA_ERROR_NOT_CONNECTED")
    sent = [_message(0, SERVER, "send", "a"), refused]
    up = _line(2, CLIENT, "up", ok=True)
    timeline = _read(*sent, up, _message(3, SERVER, "send", "a", connection=2), _message(4, CLIENT, "receive", "a"))
    assert _pairs(timeline) == [(0, 4)]


def test_what_two_connections_have_carried_tells_them_apart() -> None:
    """Both begin with the same message, of which the second is received first."""
    timeline = _read(
        _message(0, CLIENT, "send", "a", connection=1),
        _message(1, CLIENT, "send", "a", connection=2),
        _message(2, SERVER, "receive", "a", connection=2),
        _message(3, SERVER, "receive", "a", connection=1),
        _message(4, CLIENT, "send", "b", n=2, connection=1),
        _message(5, CLIENT, "send", "c", n=2, connection=2),
        _message(6, SERVER, "receive", "b", n=2, connection=1),
        _message(7, SERVER, "receive", "c", n=2, connection=2),
    )
    assert _pairs(timeline) == [(0, 3), (1, 2), (4, 6), (5, 7)]


def test_traces_with_gaps() -> None:
    """A connection of which one send is missing is found if no other fits, after those that are whole."""
    timeline = _read(
        _message(0, CLIENT, "send", "a"),
        _message(1, OTHER, "send", "a"),
        _message(2, SERVER, "receive", "a", connection=1),
        _message(3, SERVER, "receive", "b", n=2, connection=1),
        _message(4, SERVER, "receive", "a", connection=2),
        _message(5, OTHER, "receive", "c"),
        _message(6, SERVER, "send", "c", connection=1),
        _message(7, SERVER, "send", "d", connection=2),
        _message(8, CLIENT, "receive", "d"),
    )
    assert _pairs(timeline) == [(0, 4), (1, 2), (7, 8)]


def test_directions_services_and_the_fast_path_are_apart() -> None:
    timeline = _read(
        _message(0, SERVER, "send", "a"),
        _message(1, CLIENT, "send", "a"),
        _message(2, CLIENT, "send", "a", service="another"),
        _message(3, CLIENT, "send", "a", consumer=7),
        _message(4, SERVER, "receive", "a", consumer=7),
        _message(5, SERVER, "receive", "a"),
        _message(6, CLIENT, "receive", "a"),
    )
    assert _pairs(timeline) == [(0, 6), (1, 5), (3, 4)]


def test_what_is_opened_and_closed_is_not_shown() -> None:
    opened = [_line(t, SERVER, what, noun="context", handle=5) for t, what in ((0, "open"), (3, "close"))]
    timeline = _read(*opened, _message(2, CLIENT, "send", "a"))
    assert [(event.words, event.at_ns) for event in timeline.events] == [("send 1 4 B aaaaaaaa", 0)]
    assert _read(*opened) == Timeline([], [])
    assert ElementTree.fromstring(svg(_read(*opened))).get("width")


def test_what_was_refused_has_no_other_end_and_is_told_once() -> None:
    refused = [_message(t, CLIENT, "send", "a", result="DOCA_ERROR_AGAIN") for t in range(3)]
    timeline = _read(*refused, _message(3, CLIENT, "send", "a"), _message(4, SERVER, "receive", "a"))
    assert _pairs(timeline) == [(3, 4)]
    assert timeline.events[0].words == "send 1 4 B aaaaaaaa AGAIN, 3 times"


def test_text() -> None:
    timeline = _read(
        _line(0, SERVER, "state", old="IDLE", new="RUNNING"),
        _message(1, CLIENT, "send", "a"),
        _message(2, SERVER, "receive", "a"),
        _line(3, SERVER, "down", ok=False),
    )
    assert text(timeline).splitlines() == [
        "        ms  svc server, process 1      svc client, process 2",
        "     0.000  IDLE to RUNNING",
        "     1.000                             ◀─ send 1 4 B aaaaaaaa",
        "     2.000  receive 1 4 B aaaaaaaa ◀─",
        "     3.000  connection 1 died",
    ]


def test_a_picture_has_an_arrow_for_each_message() -> None:
    timeline = _read(
        _message(0, CLIENT, "send", "a", service="<&>"),
        _message(1, SERVER, "receive", "a", service="<&>"),
        _message(2, SERVER, "send", "b", service="<&>"),
    )
    drawn = ElementTree.fromstring(svg(timeline))
    space = "{http://www.w3.org/2000/svg}"
    arrows = [line for line in drawn.iter(f"{space}line") if line.get("class") == "message"]
    heads = [each.text for each in drawn.iter(f"{space}text") if each.get("class") == "head"]
    assert heads == ["<&> client, process 2", "<&> server, process 1"]
    assert len(arrows) == 1
    assert int(arrows[0].get("x1", 0)) < int(arrows[0].get("x2", 0))
    assert int(arrows[0].get("y1", 0)) < int(arrows[0].get("y2", 0))


def test_a_picture_is_as_wide_as_its_texts() -> None:
    """No text leaves it or stands over a lifeline, whatever its length; a letter has at least seven pixels."""
    for length, service in ((1, "svc" * 20), (10**40, "svc")):
        facts: dict[str, Any] = {"length": length, "service": service}
        sent = _message(0, CLIENT, "send", "a", **facts), _message(1, SERVER, "receive", "a", **facts)
        timeline = _read(*sent, _line(2, CLIENT, "x" * 50, service=service), _line(3, SERVER, "y", service=service))
        drawn = ElementTree.fromstring(svg(timeline))
        parts = [(part, part.get("class") or "") for part in drawn.iter("{http://www.w3.org/2000/svg}text")]
        heads = [(int(part.get("x", 0)), 7 * len(part.text or "")) for part, kind in parts if kind == "head"]
        (first, first_wide), (second, second_wide) = heads
        assert first + first_wide // 2 < second - second_wide // 2
        for part, kind in parts:
            at, wide = int(part.get("x", 0)), 7 * len(part.text or "")
            begin, end = (at - wide, at) if "left" in kind or kind == "time" else (at, at + wide)
            begin, end = (at - wide // 2, at + wide // 2) if kind == "head" else (begin, end)
            assert begin >= 0
            assert end <= int(drawn.get("width", 0))
            assert kind == "head" or not any(begin < lifeline < end for lifeline in (first, second)), part.text


BROKEN = (
    "{",
    "[1]",
    '{"t": 1}',
    "words",
    '{"t": "now", "pid": 1, "what": "up"}',
    '{"t": 1%s, "pid": 1, "what": "up"}' % ("0" * 400),
    '{"t": 1, "pid": [1], "what": "up"}',
    '{"t": 1, "pid": 1, "what": {}}',
    '{"t": 1, "pid": 1, "what": "send", "service": []}',
    '{"t": 1, "pid": 1, "what": "send", "service": "a", "length": 3}',
    '{"t": 1, "pid": 1, "what": "send", "service": "a", "length": 3, "digest": 3}',
    '{"t": 1, "pid": 1, "what": "send", "service": "a", "n": {}}',
    "[" * 100_000,
)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda line: line[:70])
def test_what_is_no_trace(broken: str) -> None:
    with pytest.raises(InvalidValue, match="trace:2 is not a line of a trace"):
        _read(_line(0, SERVER, "up", ok=True), broken, "")
    with pytest.raises(InvalidValue, match="nothing happened"):
        _read()


def test_what_is_left_of_the_last_line() -> None:
    """A full disk cuts it, or a kill; a process that goes on with the file begins with a line of its own."""
    whole, last = _line(0, SERVER, "up", ok=True), _line(1, SERVER, "down")
    for length in range(len(last)):
        rest = "  " + last[:length]
        timelines = [_read(whole, rest)]
        if length >= len('{"seq":'):
            timelines.append(_read(whole, rest, last))
        assert [timeline.events[0].words for timeline in timelines] == ["connection 1 up"] * len(timelines)
        assert [len(timeline.events) for timeline in timelines] == [1, 2][: len(timelines)]
    with pytest.raises(InvalidValue, match="trace:2 is not a line of a trace"):
        _read(whole, '{"seq":1,"t":"now"}', "")


def test_a_file_that_is_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"\xff\n")
    assert main(["timeline", str(path)]) == 1
    assert capsys.readouterr() == ("", f"comch_next: timeline: {path}:1 is not a line of a trace\n")


SCRIPT = (
    BOTH_ENDS
    + """\
while cc.doca_comm_channel_peer_addr_update_info(peer) != cc.DOCA_SUCCESS:
    cc.doca_comm_channel_ep_recvfrom(service, 99, 0)
client.sendto(b"four", peer)
data, to_client = service.recvfrom(99)
service.sendto(data, to_client)
client.recvfrom(99)
"""
)


def test_the_command(start_python: StartPython, tmp_path: Path) -> None:
    """On the trace of an old program that has both ends."""
    (tmp_path / "old.py").write_text(SCRIPT)
    traced = start_python("-m", "comm_channel_compat", "run", "--trace", "t.jsonl", "old.py", cwd=tmp_path).finish()
    assert traced == (0, "", "")
    shown = run(start_python, "timeline", "t.jsonl", "--svg", "picture.svg", cwd=tmp_path)
    words = [line.split(maxsplit=1)[1] for line in shown.splitlines() if "─" in line]
    assert [word.replace("─▶", "").replace("◀─", "").split()[:2] for word in words] == [
        *(["send", "1"], ["receive", "1"], ["send", "1"], ["receive", "1"])
    ]
    assert (tmp_path / "picture.svg").read_text().count('class="message"') == 2
    missing = start_python("-m", "comch_next", "timeline", "none.jsonl", cwd=tmp_path).finish()
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr == "comch_next: none.jsonl: No such file or directory\n"
