"""What evidence rewrites does what the old program did: both run, and are compared."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from migrate.outcome import Level
from migrate.report.run import stays
from tests.evidence.conftest import Recorded
from tests.evidence.test_codes import OF_2_5, SETTLED
from tests.processes import StartPython


@pytest.mark.parametrize("program", ["verbs.py", "table.py", "queue.py", "settings.py"])
def test_the_migrated_program_is_equivalent(
    program: str, recorded: Callable[..., Recorded], start_python: StartPython
) -> None:
    run = recorded(program)
    outcome = run.migrated()
    assert not [finding for finding in outcome.findings if stays(finding)]
    assert b"doca_comm_channel as" not in outcome.new
    assert any(finding.level is Level.EVIDENCE for finding in outcome.findings)
    command = ("-m", "migrate", "verify", "--no-faults", "--evidence", str(run.report), str(run.script))
    verdict = start_python(*command).finish()
    assert verdict.returncode == 0, verdict.stdout
    assert verdict.stdout.startswith("equivalent: 2 runs, no difference")


@pytest.mark.parametrize("code", SETTLED)
def test_what_a_run_settles_is_equivalent(
    code: str, recorded: Callable[..., Recorded], start_python: StartPython
) -> None:
    program, good, _ = SETTLED[code]
    release = OF_2_5.get(code, "2.6")
    run = recorded(program, good, doca=release)
    command = ("-m", "migrate", "verify", "--no-faults", "--doca", release, f"--args={good}")
    verdict = start_python(*command, "--evidence", str(run.report), str(run.script)).finish()
    assert verdict.returncode == 0, verdict.stdout


@pytest.mark.parametrize("program", ["verbs.py", "table.py", "queue.py"])
def test_without_evidence_it_stays(program: str, recorded: Callable[..., Recorded], start_python: StartPython) -> None:
    run = recorded(program)
    verdict = start_python("-m", "migrate", "verify", "--no-faults", str(run.script)).finish()
    assert verdict.returncode == 2, verdict.stdout
