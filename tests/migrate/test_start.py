"""What a run loads: nothing that it has no use for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.processes import StartPython

CODE = """\
import contextlib, json, sys
from migrate.cli import main
with contextlib.suppress(SystemExit):
    main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)))
"""
REWRITING = {"libcst", "migrate.rewriting", "migrate.facts", "migrate.rules", "multiprocessing", "rich"}
LOOKING = {"migrate._project", "migrate.python", "migrate.old_api"}


@pytest.mark.parametrize(
    ("arguments", "unused"),
    [
        (["--help"], REWRITING | LOOKING),
        (["--version"], REWRITING | LOOKING),
        (["--no-such-option"], REWRITING | LOOKING),
        (["explain", "CCM004"], REWRITING | {"migrate._project"}),
        (["explain", "doca_comm_channel_ep_sendto"], {"libcst", "migrate.rewriting", "migrate._project"}),
        (["program.py"], REWRITING | {"migrate._affected", "tomllib", "migrate.report.html", "migrate._writing"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_run_loads_what_it_needs(
    arguments: list[str], unused: set[str], start_python: StartPython, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text("import os\n\nprint(os)\n")
    given = [str(tmp_path / part) if part.endswith(".py") else part for part in arguments]
    loaded = json.loads(start_python("-c", CODE, *given, fresh=True).finish().stdout.splitlines()[-1])
    assert unused.isdisjoint(loaded)
