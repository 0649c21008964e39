"""The suite itself: the command, a side in another process, and checks that need another topology."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from comch_next import BadState, NotPermitted
from comch_next.testing import CHECKS, Maker, Side, _remote, across_processes, in_one_process
from tests.processes import SOON_S, StartPython

CHILD_ENDS_S = 2 * SOON_S
TOPOLOGY = """
limits = { max_clients = 4, max_buf_size = 5000 }

[[device]]
pci_addr = "03:00.0"
side = "dpu"
representor = [{ pci_addr = "b1:00.0" }]

[[device]]
pci_addr = "b1:00.0"
side = "host"
"""

BOTH = pytest.mark.parametrize("maker", [in_one_process, across_processes], ids=lambda maker: maker.__name__)


def test_each_check_has_a_name_of_its_own() -> None:
    assert len({check.__name__ for check in CHECKS}) == len(CHECKS)


@BOTH
@pytest.mark.parametrize(
    ("name", "limit", "small"),
    [
        ("check_number_of_clients", "cap_get_max_clients", 4),
        ("check_max_buf_size", "consumer_cap_get_max_buf_size", 5000),
    ],
)
def test_limits_that_are_tried_only_where_they_are_small(
    name: str, limit: str, small: int, maker: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topology = tmp_path / "small_limits.toml"
    topology.write_text(TOPOLOGY, encoding="utf-8")
    monkeypatch.setenv("COMCH_TOPOLOGY", str(topology))
    with maker() as pair:
        assert pair.server.limit(limit) == small
    check = next(check for check in CHECKS if check.__name__ == name)
    check(maker)


def test_the_command(start_python: StartPython) -> None:
    ended = start_python("-m", "comch_next.testing", "server_runs_at_once", "restart").finish()
    assert ended.returncode == 0, ended
    lines = ended.stdout.splitlines()
    assert lines[1].split() == ["check_server_runs_at_once", "ok", "ok"]
    assert lines[-1] == "3 checks, 0 failures"


def test_the_command_refuses_a_word_that_is_in_no_name(start_python: StartPython) -> None:
    ended = start_python("-m", "comch_next.testing", "restart", "flush").finish()
    assert (ended.returncode, ended.stdout) == (64, "")
    assert "no check's name contains flush" in ended.stderr


def test_the_command_tells_what_failed(start_python: StartPython) -> None:
    ended = start_python("-m", "comch_next.testing", "--driver", "nobodys", "server_runs_at_once").finish()
    assert ended.returncode == 1
    assert ended.stdout.splitlines()[1].split() == ["check_server_runs_at_once", "FAILED", "FAILED"]
    assert "there is no driver 'nobodys'" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "1 check, 2 failures"


def fail(side: Side, text: str) -> None:
    raise AssertionError(f"{side.service}: {text}")


def stumble(side: Side) -> None:
    raise KeyError(side.service)


@BOTH
def test_what_goes_wrong_on_a_side_is_raised_here(maker: Maker) -> None:
    with maker() as pair:
        with pytest.raises(BadState, match="set_max_msg_size"):
            pair.server.set("max_msg_size", 100)
        pair.server.map(4096, permissions=1)
        with pytest.raises(NotPermitted, match="PCI_READ_WRITE"):
            pair.server.consumer()
        with pytest.raises(AssertionError, match=f"{pair.service}: expected"):
            pair.server.run(fail, "expected")
        with pytest.raises((AssertionError, KeyError), match=pair.service):
            pair.server.run(stumble)


@BOTH
def test_what_does_not_come_true_is_told(maker: Maker) -> None:
    told = r"the state of main of the client: expected 'IDLE' within 0.1 s, saw 'RUNNING'"
    with maker() as pair:
        pair.timeout = 0.1
        with pytest.raises(AssertionError, match=told):
            pair.until_state(pair.client, "IDLE")
        pair.timeout = CHILD_ENDS_S


def wait_twice(side: Side, timeout: float) -> list[bool]:
    return [side.wait(timeout), side.ready(timeout)]


def test_a_wait_in_another_process_may_take_longer_than_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    with across_processes() as pair:
        pair.settle()
        with monkeypatch.context() as patched:
            patched.setattr(_remote, "_CALL_S", 0.0)
            assert pair.server.run(wait_twice, 0.1) == [False, False]
            assert [pair.server.wait(0.1), pair.server.ready(0.1)] == [False, False]


def sleep_long(side: Side) -> None:
    """What a driver does that does not return."""
    time.sleep(SOON_S)


def test_a_call_in_another_process_that_does_not_return_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_remote, "_CALL_S", 1.0)
    monkeypatch.setattr(_remote, "_MOST_WAITS", 0)
    with pytest.raises(AssertionError, match="run in the server's process gave no answer"):
        with across_processes() as pair:
            pair.server.run(sleep_long)


def ask_after_its_death() -> None:
    with across_processes() as pair:
        process = pair.server._process  # type: ignore[attr-defined]
        process.kill()
        process.wait()
        pair.server.state()


def test_a_process_that_has_ended_is_told() -> None:
    with pytest.raises(AssertionError, match="state in the server's process: the process has ended"):
        ask_after_its_death()


ORPHAN = """
import os
from comch_next.testing import across_processes
with across_processes() as pair:
    print("child", pair.server._process.pid, flush=True)
    os._exit(0)
"""


def test_the_other_process_ends_with_its_parent(start_python: StartPython) -> None:
    """It has the parent's standard output, too: the output ends when both have."""
    parent = start_python("-c", ORPHAN, deadline_s=CHILD_ENDS_S)
    parent.wait_for("child")
    assert parent.finish().returncode == 0
    assert not any(reader.is_alive() for reader in parent._readers)
