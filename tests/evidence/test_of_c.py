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
    "kept": """KEPT = {}
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


def is_equivalent(run: Recorded, argument: str, start_python: StartPython) -> None:
    command = ("-m", "migrate", "verify", "--no-faults", f"--args={argument}", "--evidence", str(run.report))
    verdict = start_python(*command, str(run.script)).finish()
    assert verdict.returncode == 0, verdict.stdout
    assert verdict.stdout.startswith("equivalent: 2 runs, no difference")


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
    is_equivalent(run, PREFIX, start_python)


SIZE_CFFI = """\
import sys
from cffi import FFI
ffi = FFI()
ffi.cdef("int doca_devinfo_create_list(void ***list, uint32_t *number);"
         "int doca_devinfo_get_iface_name(void *info, char *name, uint32_t size);")
lib = ffi.dlopen("libdoca_common.so.2")
infos, number, name = ffi.new("void ***"), ffi.new("uint32_t *"), ffi.new("char[256]")
lib.doca_devinfo_create_list(infos, number)
print(lib.doca_devinfo_get_iface_name(infos[0][0], name, int(sys.argv[1])))
"""
SIZE_CTYPES = """\
import sys
from ctypes import CDLL, POINTER, byref, c_uint32, c_void_p, create_string_buffer
lib = CDLL("libdoca_common.so.2")
infos, number = POINTER(c_void_p)(), c_uint32()
lib.doca_devinfo_create_list(byref(infos), byref(number))
name = create_string_buffer(256)
first = c_void_p(infos[0])

print(lib.doca_devinfo_get_iface_name(first, name, int(sys.argv[1])))
"""
SIZES = pytest.mark.parametrize("text", [SIZE_CFFI, SIZE_CTYPES], ids=["cffi", "ctypes"])


@SIZES
def test_a_finding_is_settled(text: str, recorded: Callable[..., Recorded], start_python: StartPython) -> None:
    run = recorded(text, "256")
    findings = run.migrated().findings
    (settled,) = [finding for finding in findings if finding.code == "CCM072"]
    assert (settled.level, settled.span.line) == (Level.EVIDENCE, 9)
    assert settled.evidence == "run.json: 1 call, never INVALID_VALUE"
    is_equivalent(run, "256", start_python)


@SIZES
def test_a_run_that_shows_the_contrary_is_named(text: str, recorded: Callable[..., Recorded]) -> None:
    outcome = recorded(text, "1").migrated()
    left = {finding.evidence for finding in outcome.findings if stays(finding) and not finding.because}
    assert left == {"run.json: line 9 answered INVALID_VALUE"}
    assert b"\n# CCM072" in outcome.new


NOT_RUN = """\
import sys
from ctypes import CDLL, byref, c_void_p
lib = CDLL("libdoca_comm_channel.so.2")
ep = c_void_p()
lib.doca_comm_channel_ep_create(byref(ep))
if len(sys.argv) > 1:
    print(getattr(lib, sys.argv[1])(ep))
"""
DESTROY = f"{PREFIX}ep_destroy"


def test_a_line_that_did_not_run_is_named(recorded: Callable[..., Recorded]) -> None:
    outcome = recorded(NOT_RUN).migrated()
    evidence = {finding.evidence for finding in outcome.findings if stays(finding) and not finding.because}
    assert evidence == {"run.json: line 7 did not run, or read a name that is not old"}
    assert b"getattr(lib, sys.argv[1])(ep)" in outcome.new
    assert b"byref(ep)" in outcome.new


def test_what_else_keeps_the_file_is_named(recorded: Callable[..., Recorded]) -> None:
    """The names that were read are not enough: then the look-up stays as it was written."""
    run = recorded(f"{NOT_RUN}print(str(ep) == '')\n", DESTROY)
    outcome = run.migrated()
    evidence = {finding.evidence for finding in outcome.findings if stays(finding) and not finding.because}
    assert evidence == {"line 7: with the names that were read there, line 8 stays old (CCM092)"}
    assert b"getattr(lib, sys.argv[1])(ep)" in outcome.new


def test_a_name_of_another_library_shows_nothing(recorded: Callable[..., Recorded]) -> None:
    text = NOT_RUN.replace("getattr(lib, sys.argv[1])", "[getattr(lib, name) for name in sys.argv[1:]][0]")
    assert not any(map(stays, recorded(text, DESTROY).migrated().findings))
    assert b"getattr(lib, name)" in recorded(text, DESTROY, "printf").migrated().new


def test_names_beside_it_are_not_in_its_table(recorded: Callable[..., Recorded]) -> None:
    text = NOT_RUN.replace("getattr(lib, sys.argv[1])", "getattr(lib, sys.argv[1] + '_destroy')")
    text = text.replace("lib.doca_comm_channel_ep_create(byref(ep))", "")
    line = 'getattr(lib, sys.argv[1] + "_create")(byref(ep)), '
    new = recorded(text.replace("print(", f"print({line}"), f"{PREFIX}ep").migrated().new
    assert new.count(b'"doca_comm_channel_ep_create":') == new.count(b'"doca_comm_channel_ep_destroy":') == 1


def named(spelling: str) -> str:
    """The program, with the functions called by their names."""
    return program(spelling, "direct").replace('getattr(lib, PREFIX + "', "lib.doca_comm_channel_").replace('")(', "(")


BOXED = """\
for word in (b"one", b"three"):
    box.put(peer[0])
    box.put(client[0])
    by, to = box.take(), box.take()
    print(lib.doca_comm_channel_ep_sendto(by, word, len(word), 0, to))
"""


def test_a_handle_of_unknown_origin(recorded: Callable[..., Recorded], start_python: StartPython) -> None:
    """A client and its peer go through a box that nobody can look into."""
    before, _, behind = named("cffi").partition('for word in (b"one", b"three"):\n')
    rest = behind[behind.index("for _ in range(3)") :]
    text = f'{before}import importlib\nbox = importlib.import_module("letter" + "box").Box()\n{BOXED}{rest}'
    run = recorded(text, PREFIX)
    outcome = run.migrated()
    assert not [finding for finding in outcome.findings if stays(finding)]
    assert {finding.code for finding in outcome.findings if finding.level is Level.EVIDENCE} >= {"CCM034"}
    is_equivalent(run, PREFIX, start_python)


@pytest.mark.parametrize("spelling", ["cffi", "ctypes"])
def test_generation_2(recorded: Callable[..., Recorded], start_python: StartPython, spelling: str) -> None:
    run = recorded(f"cc_with_{spelling}.py", "doca_cc_")
    counted = {call["symbol"]: (call["count"], call["nested"]) for call in run.facts["calls"]}
    assert counted["doca_cc_client_task_send_alloc_init"] == counted["doca_task_submit"] == (2, 0)
    assert counted["doca_task_free"] == (2, 2)
    assert counted["doca_pe_progress"][0] > 0 == counted["doca_pe_progress"][1]
    assert not [finding for finding in run.migrated().findings if stays(finding)]
    is_equivalent(run, "doca_cc_", start_python)
