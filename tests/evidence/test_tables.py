"""The tables of names that take the place of getattr: as wide as the file, and none where there is no room."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.evidence.conftest import Recorded

LOG = """\
import doca_comm_channel as cc
def log(verb, *args):
    return {lookup}(*args)
log("backend_create_standard")
for limit in ("lower", "upper", "sdk"):
    log(f"level_set_global_{{limit}}_limit", 20)
"""
LOOKUPS = [
    'getattr(cc, "doca_log_" + verb)',
    'getattr(\n        cc, "doca_log_" + verb\n    )',
    'getattr(\n        cc,\n        "doca_log_" + verb,\n    )',
]


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_a_table_is_folded(recorded: Callable[..., Recorded], lookup: str) -> None:
    new = recorded(LOG.format(lookup=lookup)).migrated().new.decode()
    assert '"doca_log_level_set_global_sdk_limit": lambda' in new
    assert max(map(len, new.splitlines())) <= 120
    assert [line for line in new.splitlines() if line.startswith(('"', "]", ")"))] == []


def test_an_f_string_has_no_room(recorded: Callable[..., Recorded]) -> None:
    program = "import doca_comm_channel as cc\nname = 'SUCCESS'\ncc.Endpoint().destroy()\n"
    program += "print(f'{getattr(cc, \"DOCA_\" + name)}')\n"
    outcome = recorded(program).migrated()
    assert "getattr(cc" in outcome.new.decode()
    assert {finding.code for finding in outcome.findings} >= {"CCM005"}
