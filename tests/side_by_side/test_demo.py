"""The demonstration shows a pair, its rewrite, the verdict and what went over the channel, and fails when it should."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import pages
from tools import demo
from tools.side_by_side import LEGACY, MODERN


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of its own, and without faults, which take most of the time."""
    monkeypatch.chdir(tmp_path)
    steps = [
        step._replace(words=[*step.words, "--no-faults"]) if "verify" in step.words else step for step in demo.STEPS
    ]
    monkeypatch.setattr(demo, "STEPS", steps)


def test_it_shows_all_steps_and_keeps_their_files(capfd: pytest.CaptureFixture[str]) -> None:
    assert demo.main() == 0
    text = capfd.readouterr().out
    assert "-            return ep.recvfrom(MAX_MSG_SIZE)\n" in text
    assert "equivalent: 4 runs, no difference; every call of the old API ran\n" in text
    assert text.count("◀─ send 1 19 B") == 2
    assert text.rstrip().endswith("-m migrate verify SERVICE.py CLIENT.py")
    assert "\x1b" not in text
    kept = {path.name for path in demo.FOLDER.iterdir()}
    written = {"changes.diff", "verdict.txt", "report.html", "old.txt", "new.txt", "old.svg", "new.svg"}
    assert kept == {*written, "program", "verified"}
    assert "equivalent: 4 runs" in pages.read(demo.PAGE.read_text()).words
    assert (demo.VERIFIED / "old/hello_client.py").read_text() != (demo.VERIFIED / "new/hello_client.py").read_text()


@pytest.mark.parametrize("ends", [demo.ENDS, demo.ENDS[:1], demo.ENDS[1:]], ids="-".join)
def test_it_fails_when_the_sample_is_no_longer_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], ends: Sequence[str]
) -> None:
    """Or one end of it."""
    for end in demo.ENDS:
        shutil.copy((MODERN if end in ends else LEGACY) / f"hello_{end}.py", tmp_path)
    monkeypatch.setattr(demo, "LEGACY", tmp_path)
    assert demo.main() == 1
    text = capfd.readouterr().out
    assert "the pair is not what the demonstration shows" in text
    assert "verify" not in text


def test_it_fails_when_the_ends_differ(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """A step that ends otherwise than it has to is the last."""
    steps = [demo.STEPS[0]._replace(words=["-c", "raise SystemExit(2)"]), demo.STEPS[0]]
    monkeypatch.setattr(demo, "STEPS", steps)
    assert demo.main() == 1
    assert capfd.readouterr().out.count("$ python") == 1
