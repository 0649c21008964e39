"""The fenced blocks of the documentation, and what runs them."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from tests.processes import ROOT, Child

PAGES = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_FENCE = re.compile(r'^```(\w+)(?: title="([^"]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_ANY = "..."  # a line of the documentation that stands for any lines


class Block(NamedTuple):
    """A fenced block: its language, its title (empty without one) and its lines."""

    language: str
    title: str
    text: str


def blocks(page: str) -> list[Block]:
    """Return every fenced block of a page."""
    return [Block(*match) for match in _FENCE.findall((ROOT / page).read_text(encoding="utf-8"))]


def block(page: str, title: str) -> str:
    """Return the text of the one block with that title."""
    (text,) = (block.text for block in blocks(page) if block.title == title)
    return text


def commands(page: str, title: str) -> list[tuple[str, list[str]]]:
    """Return each command of a console block with the lines that follow it."""
    first, *rest = block(page, title).split("$ ")
    assert first == "", "a console block begins with a command"
    return [(lines[0], lines[1:]) for lines in (part.splitlines() for part in rest)]


def is_shown(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines of the documentation are what a command has printed."""
    pattern = "".join(r"(?:.*\n)*" if line == _ANY else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def checkout(folder: Path) -> Path:
    """Copy what the documentation uses of a checkout."""
    shutil.copytree(ROOT / "samples_legacy", folder / "samples_legacy", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def shell(command: str, folder: Path) -> Child:
    """Start a command of a console block, with the `python` of these tests."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    env = {"PATH": path, "PYTHONPATH": str(ROOT)}
    return Child(["sh", "-c", command], cwd=folder, env=env, deadline_s=240, fresh=True)
