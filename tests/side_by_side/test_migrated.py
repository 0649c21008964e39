"""A rewritten sample has no legacy call left; what it does is verified in tests/verify."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.side_by_side import LEGACY, REWRITTEN, migrate

REMAINDERS: dict[str, list[str]] = {}  # script -> the codes of its comments: none has any
OLD_METHODS = {"Endpoint", "set_device", "set_device_rep", "sendto", "recvfrom", "get_send_messages"}
OLD_METHODS |= {"as_ctx", "as_task", "get_connection", "set_max_msg_size", "get_status"}


def tokens(source: bytes) -> Iterator[tokenize.TokenInfo]:
    return tokenize.tokenize(io.BytesIO(source).readline)


@pytest.mark.parametrize("script", REWRITTEN)
def test_remainders(migrated: Path, script: str) -> None:
    """What is left to do by hand has a code, and is named here; no sample may have more than two."""
    codes = re.findall(r"CCM\d{3}", (migrated / script).read_text())
    assert codes == REMAINDERS.get(script, [])
    assert len(codes) <= 2


def test_nothing_is_left_to_do(migrated: Path) -> None:
    outcome = migrate("--check", str(migrated))
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_a_second_run_changes_nothing(migrated: Path) -> None:
    before = {path: path.read_bytes() for path in migrated.glob("*.py")}
    assert migrate("--write", str(migrated)).returncode == 0
    assert {path: path.read_bytes() for path in migrated.glob("*.py")} == before


@pytest.mark.parametrize("script", REWRITTEN)
def test_no_legacy_name_is_left(migrated: Path, script: str) -> None:
    """A scan that knows nothing of the rewriter: old names as tokens, old methods as calls."""
    source = (migrated / script).read_bytes()
    names = {token.string for token in tokens(source) if token.type == tokenize.NAME}
    assert not [name for name in names if name.startswith(("doca_", "comm_channel", "DOCA_CC_"))]
    called = {node.func.attr for node in ast.walk(ast.parse(source))
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}  # fmt: skip
    assert not called & OLD_METHODS


@pytest.mark.parametrize("script", REWRITTEN)
def test_the_program_keeps_its_own_words(migrated: Path, script: str) -> None:
    """Comments and the command line are the program's own."""
    old, new = (LEGACY / script).read_bytes(), (migrated / script).read_bytes()
    comments = [token.string for token in tokens(old) if token.type == tokenize.COMMENT]
    options = [line for line in old.splitlines() if b"add_argument" in line]
    assert [token.string for token in tokens(new) if token.type == tokenize.COMMENT] == comments
    assert [line for line in new.splitlines() if b"add_argument" in line] == options
