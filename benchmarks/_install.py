"""Installs the rivals that are libraries of others: python -m benchmarks._install.

One by one, so that one which has nothing for this Python does not keep the others away; the exit status says
whether all are there.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import requires

from packaging.requirements import Requirement

PROJECT = "doca-channel-compat"


def wanted() -> Iterator[str]:
    """What the bench extra asks for of others, as pip takes it."""
    for line in requires(PROJECT) or ():
        requirement = Requirement(line)
        if requirement.name == PROJECT:
            continue
        marker = requirement.marker
        if marker is not None and marker.evaluate({"extra": "bench"}) and not marker.evaluate({"extra": ""}):
            yield f"{requirement.name}{requirement.specifier}"


def install(requirement: str) -> bool:
    """Whether pip could; what it says against it goes to the terminal."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    installed = [install(requirement) for requirement in wanted()]
    sys.exit(not all(installed))
