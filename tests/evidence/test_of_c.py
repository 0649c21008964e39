"""Programs that call C through cffi or ctypes, by names that only a run shows: with evidence they do what they did."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from migrate.outcome import Level
from migrate.report.run import stays
from tests.evidence.conftest import PROGRAMS, Recorded
from tests.processes import StartPython

PREFIX = "doca_comm_channel_"
HELPER = "def call(name, *args):\n    return getattr(lib, PREFIX + name)(*args)\n"
NAMES = """(
    "ep_create", "ep_set_device", "ep_set_device_rep", "ep_listen", "ep_connect", "ep_sendto", "ep_recvfrom",
    "peer_addr_update_info", "ep_disconnect", "ep_destroy",
)"""

# How a program finds the functions that it calls by a name.
MANNERS = {
    "helper": HELPER,
    "variable": HELPER.replace("return getattr(lib, PREFIX + name)(*args)", """\
function = getattr(lib, PREFIX + name)
    return function(*args)"""),
    "checked": HELPER.replace("return getattr(lib, PREFIX + name)(*args)", """\
code = getattr(lib, PREFIX + name)(*args)
    if code not in (0, 5, 13):
        print(name, code)
    return code"""),
    "finder": f"def find(name):\n    return getattr(lib, PREFIX + name)\n{HELPER}".replace(
        "getattr(lib, PREFIX + name)(", "find(name)("
    ),
    "table": f"CALLS = {{name: getattr(lib, PREFIX + name) for name in {NAMES}}}\n{HELPER}".replace(
        "getattr(lib, PREFIX + name)(", "CALLS[name]("
    ),
    "kept": f"""KEPT = {{}}
def call(name, *args):
    if name not in KEPT:
        KEPT[name] = getattr(lib, PREFIX + name)
    return KEPT[name](*args)
""",
    "methods": """class Library:
    def __init__(self, prefix):
        self.prefix = prefix
    def call(self, name, *args):
        return getattr(lib, self.prefix + name)(*args)
call = Library(PREFIX).call
""",
    "lines": """def call(name, *args):
    return getattr(
        lib,
        PREFIX + name
    )(
        *args
    )
""",
}  # fmt: skip
ONLY_CTYPES = {"item": HELPER.replace("getattr(lib, PREFIX + name)", "lib[PREFIX + name]")}
CASES = [(spelling, manner) for spelling in ("cffi", "ctypes") for manner in [*MANNERS, "direct"]]
CASES += [("ctypes", manner) for manner in ONLY_CTYPES]


def program(spelling: str, manner: str) -> str:
    text = (PROGRAMS / f"with_{spelling}.py").read_text()
    assert HELPER in text
    if manner == "direct":
        return re.sub(r'\bcall\(("\w+"), ', r"getattr(lib, PREFIX + \1)(", text.replace(HELPER, ""))
    return text.replace(HELPER, {**MANNERS, **ONLY_CTYPES}[manner])


@pytest.mark.parametrize(("spelling", "manner"), CASES)
def test_what_a_run_shows_is_rewritten(
    spelling: str, manner: str, recorded: Callable[..., Recorded], start_python: StartPython
) -> None:
    run = recorded(program(spelling, manner), PREFIX)
    outcome = run.migrated()
    assert not [finding for finding in outcome.findings if stays(finding)]
    assert not re.search(rb"cffi|ctypes|getattr\(lib|lib\[", outcome.new.partition(b'"""\n')[2])
    marked = [finding for finding in outcome.findings if finding.level is Level.EVIDENCE]
    assert {"run.json" in finding.evidence for finding in marked} == {True}
    command = ("-m", "migrate", "verify", "--no-faults", f"--args={PREFIX}", "--evidence", str(run.report))
    verdict = start_python(*command, str(run.script)).finish()
    assert verdict.returncode == 0, verdict.stdout
    assert verdict.stdout.startswith("equivalent: 2 runs, no difference")
