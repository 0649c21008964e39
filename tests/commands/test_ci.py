"""The examples of docs/ci.md and the hooks of pre-commit, run as services do: step by step, until one fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.processes import ROOT, SOON_S

OLD = "import doca_comm_channel as cc\n\nep = cc.Endpoint()\nep.destroy()\n"
NEW = "import comch_next as comch\n\nep = comch.Channel(one_sided=True)\nep.close()\n"
BY_HAND = "import doca_comm_channel as cc\n\nep = getattr(cc, input())()\n"  # a comment is to be written, too


def _example(name: str) -> Any:
    """The block of docs/ci.md that begins with the name of its file."""
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "ci.md").read_text(), re.DOTALL)
    return yaml.safe_load(next(block for block in blocks if block.startswith(f"# {name}\n")))


def _github() -> list[str]:
    steps = _example(".github/workflows/old-doca-calls.yml")["jobs"]["migrate"]["steps"]
    return [step["run"] for step in steps if "run" in step]


def _gitlab() -> list[str]:
    job = _example(".gitlab-ci.yml")["old-doca-calls"]
    return [*job["before_script"], *job["script"]]


HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


def _run(commands: list[str], folder: Path) -> list[int]:
    """The statuses of the commands up to the first that fails."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    statuses: list[int] = []
    while len(statuses) < len(commands) and not any(statuses):
        command = ["sh", "-ec", commands[len(statuses)]]
        statuses.append(subprocess.run(command, cwd=folder, env=environment, timeout=2 * SOON_S).returncode)
    return statuses


@pytest.mark.parametrize(("service", "report"), [(_github, "migrate.sarif"), (_gitlab, "migrate.html")])
@pytest.mark.parametrize(("text", "status"), [(OLD, 1), (BY_HAND, 3), (NEW, 0)])
def test_the_example_fails_while_something_is_left(
    service: Any, report: str, text: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(text)
    install, *commands = service()
    assert install == "python -m pip install 'doca-channel-compat[migrate]'"  # which the tests have done
    assert _run(commands, tmp_path) == [0, status]
    assert (tmp_path / report).stat().st_size > 0


def test_the_hooks_install_what_rewriting_needs() -> None:
    """pre-commit installs the project without its extras."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extra = text.partition("\nmigrate = [")[2].partition("]")[0]
    needed = re.findall(r'"([^"]+)"', extra)
    assert needed
    assert {name: hook["additional_dependencies"] for name, hook in HOOKS.items()} == dict.fromkeys(HOOKS, needed)


@pytest.mark.parametrize(("text", "status"), [(OLD, 1), (BY_HAND, 3), (NEW, 0)])
def test_the_check_of_pre_commit(text: str, status: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "program.py").write_text(text)
    assert _run([HOOKS["doca-migrate-check"]["entry"] + " program.py"], tmp_path) == [status]
    assert (tmp_path / "program.py").read_text() == text
    assert ("program.py:" in capfd.readouterr().out) == (status > 0)


def test_the_rewriting_of_pre_commit(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(OLD)
    assert _run([HOOKS["doca-migrate"]["entry"] + " program.py"] * 2, tmp_path) == [0, 0]
    assert (tmp_path / "program.py").read_text() == NEW


def test_the_example_of_pre_commit_names_a_hook() -> None:
    (repository,) = _example(".pre-commit-config.yaml")["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= set(HOOKS)
