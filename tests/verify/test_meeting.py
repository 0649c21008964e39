"""Pairs whose ends never meet: one run shows it, and the verdict says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.cli import main
from migrate.verify import meeting
from migrate.verify.stage import Line
from tests.processes import ROOT
from tests.verify.test_stage import CLIENT, SERVICE

PATIENT = """\
import time
import doca_comm_channel as cc
while True:
    ep = cc.Endpoint()
    ep.set_device(cc.open_device("b1:00.0"))
    try:
        peer = ep.connect("elsewhere")
    except cc.DocaError:
        time.sleep(0.01)
ep.sendto(b"never", peer)
"""


def verify(
    capsys: pytest.CaptureFixture[str], folder: Path, service: str, client: str, *more: str, status: int = 2
) -> list[str]:
    ends = [folder / "service.py", folder / "client.py"]
    for path, text in zip(ends, (service, client), strict=True):
        path.write_text(text)
    assert main(["verify", "--linger", "0.5", *more, *map(str, ends)]) == status
    return capsys.readouterr().out.splitlines()


def test_what_is_on_a_message_queue_listens_to_no_name() -> None:
    started = {"what": "state", "msgq": 1, "consumer": 1, "old": "STARTING", "new": "RUNNING"}
    listens = {"what": "state", "service": "svc", "side": "server", "old": "STARTING", "new": "RUNNING"}
    trace: list[Line] = [started, listens]
    assert (meeting.listened_on(trace), meeting.asked_for(trace), meeting.has_met(trace)) == ({"svc"}, set(), False)


def test_ends_with_different_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    client = CLIENT.replace("lingering", "elsewhere") + 'ep.sendto(b"x", None)\n'
    head, apart, *others = verify(capsys, tmp_path, SERVICE, client, "--patience", "100")
    assert head.startswith("inconclusive: 1 run, ")
    assert apart == "  the old ends never met: the service listened on 'lingering'; the client asked for 'elsewhere'"
    assert any("ended with status 1; the last line of its standard error: " in line for line in others)


def test_a_client_that_goes_on_asking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, apart, *_ = verify(capsys, tmp_path, SERVICE, PATIENT, "--patience", "3", "--timeout", "500")
    assert head.startswith("inconclusive: 1 run, ")
    assert apart == "  the old ends never met: the service listened on 'lingering'; the client asked for 'elsewhere'"


WORK = """\
import pathlib
import time
worked = pathlib.Path({worked!r})
while not worked.exists() and time.process_time() < 3:
    pass
worked.touch()
"""
REST = """\
import time
time.sleep(600)
"""
PATIENCE_S = 2  # less than the one works and the other rests, more than an interpreter needs to read its modules
HURRIED = ("--patience", str(PATIENCE_S), "--no-faults")


def test_a_service_that_works_before_it_listens_is_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The time on a processor, and that in which it waits for one, is no rest."""
    ends = [(ROOT / "samples_legacy" / f"hello_{end}.py").read_text() for end in ("service", "client")]
    work = WORK.format(worked=str(tmp_path / "worked"))  # in the first run
    # They end by themselves: a service that is interrupted soon may not have seen its client leave yet.
    head, *others = verify(capsys, tmp_path, work + ends[0], ends[1], *HURRIED, "--linger", "100", status=0)
    assert head.startswith("equivalent: 4 runs, "), others


def test_a_service_that_rests_before_it_listens_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    client = CLIENT + 'ep.sendto(b"x", None)\n'
    lines = verify(capsys, tmp_path, REST + SERVICE, client, *HURRIED)
    unready = f"the old service was not ready after {PATIENCE_S} s (--patience), when the next end was started"
    assert f"  {unready}; --cue is what it prints when it is" in lines, lines


def test_an_end_that_fails_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    client = CLIENT.replace("import doca", "raise SystemExit('no such file: x.conf')\nimport doca")
    lines = verify(capsys, tmp_path, SERVICE, client)
    told = "the old client ended with status 1; the last line of its standard error: no such file: x.conf"
    assert f"  {told}" in lines


def test_a_program_that_fails_before_it_calls_anything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "old.py"
    script.write_text("import no_such_module\nimport doca_comm_channel as cc\ncc.Endpoint()\n")
    assert main(["verify", "--no-faults", str(script)]) == 2
    told = "the old program ended with status 1; the last line of its standard error: ModuleNotFoundError"
    assert told in capsys.readouterr().out


def test_a_topology_is_named_from_where_the_command_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "pair").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("one.toml").write_text("[[device]]\npci_addr = '03:00.0'\nside = 'dpu'\n")
    monkeypatch.setenv("COMCH_TOPOLOGY", "one.toml")
    program = tmp_path / "pair" / "program.py"
    program.write_text("import doca_comm_channel as cc\ncc.open_device('03:00.0').close()\n")
    assert main(["verify", "--no-faults", str(program)]) == 0, capsys.readouterr().out


def test_an_end_that_fails_when_they_have_met(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Why calls behind that never ran; it is no reason where all have run."""
    failing = CLIENT + 'raise RuntimeError("no more")\n'
    told = "  the old client ended with status 1; the last line of its standard error: RuntimeError: no more"
    lines = verify(capsys, tmp_path, SERVICE, failing + 'ep.sendto(b"x", None)\n', "--no-faults")
    assert told in lines, lines
    lines = verify(capsys, tmp_path, SERVICE, failing, "--no-faults", status=0)
    assert told not in lines
