"""The messages that docs/troubleshooting.md explains are those of the sources."""

from __future__ import annotations

import re

import pytest

from tests.processes import ROOT

_FOLDERS = ("comch_next", "comm_channel_compat", "migrate", "tools")
_PYTHONS = {"No module named 'doca_comm_channel'", "'doca_cc'"}  # not ours
_VARIES = re.compile(r" \(.*\)$")  # "the server refuses (no space)": the text of the result code
TABLE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
MESSAGES = [
    message
    for row in re.findall(r"^\| (.*?) \| ", TABLE, re.MULTILINE)
    for message in re.findall(r"`([^`]+)`", row)
    if message not in _PYTHONS
]


@pytest.fixture(scope="module")
def sources() -> str:
    files = [path for folder in _FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".sh")]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@pytest.mark.parametrize("message", MESSAGES)
def test_the_message_is_one_of_the_sources(message: str, sources: str) -> None:
    assert _VARIES.sub("", message) in sources
