"""The environment that lets programs, and what they start, find the old names."""

from __future__ import annotations

import os
import sys

from comm_channel_compat._launcher import faces

TYPE_CHECKING = False  # typing alone would take longer than the launcher
if TYPE_CHECKING:
    from collections.abc import Mapping

SHIM = os.path.join(faces.PACKAGE, "_shim")
OF_PROCESS = "COMCH_COMPAT_REPORT_OF"  # the process whose report has the name given
_LOCALE = "LC_CTYPE"

# Variable -> the kind of folder that it lists: for the dynamic linker, our stub, the compiler and pkg-config.
_FOLDERS = {
    "LD_LIBRARY_PATH": "lib",
    "COMCH_COMPAT_LIBRARIES": "lib",
    "LIBRARY_PATH": "lib",
    "CPATH": "include",
    "PKG_CONFIG_PATH": "pkgconfig",
}


def inherited() -> dict[str, str]:
    """The variables that this process was given, and what it has changed since.

    Where the locale is C, Python itself has set LC_CTYPE, for what it starts: the program gets its own, or none.
    """
    found = dict(os.environ)
    if found.pop(_LOCALE, None) is not None:
        with open("/proc/self/environ", "rb") as file:
            given = dict(entry.split("=", 1) for entry in os.fsdecode(file.read()).split("\0") if "=" in entry)
        if _LOCALE in given:
            found[_LOCALE] = given[_LOCALE]
    return found


def settings(current: Mapping[str, str], given: Mapping[str, str], *, stand_in: bool) -> dict[str, str]:
    """The variables to set, for the options given; `stand_in` for C libraries, too."""
    release = given.get("--doca", faces.RELEASE)
    found = {"PYTHONPATH": _joined([SHIM], current.get("PYTHONPATH")), "COMCH_COMPAT_DOCA": release}
    if stand_in:
        for name, kind in _FOLDERS.items():
            if folders := faces.folders(kind, release):
                found[name] = _joined(folders, current.get(name))
        if "LD_LIBRARY_PATH" in found and (stub := faces.audit_stub()) is not None:
            found["COMCH_PYTHON"] = sys.executable
            found["LD_AUDIT"] = _joined([stub], current.get("LD_AUDIT"))
        if "--force" in given:
            found["COMCH_COMPAT_FORCE"] = "1"
    if "--warn" in given:
        found["COMCH_COMPAT_WARN"] = "1"
    if "--report" in given:
        found["COMCH_COMPAT_REPORT"] = os.path.abspath(given["--report"])
        found["COMCH_CALL_SINK"] = "comm_channel_compat.capi._c_calls:follow"
        found["COMCH_TRACE_SINK"] = "comm_channel_compat._account:the_account"
        found[OF_PROCESS] = str(os.getpid())  # which becomes the program
    if "--trace" in given:
        found["COMCH_TRACE"] = os.path.abspath(given["--trace"])  # the program may go elsewhere
    if "--faults" in given:
        found["COMCH_FAULTS"] = given["--faults"]
    return found


def _joined(ours: list[str], theirs: str | None) -> str:
    """Our folders before theirs; ours come once only, however often a launcher starts another."""
    rest = [word for word in (theirs or "").split(os.pathsep) if word not in ours] if theirs else []
    return os.pathsep.join([*ours, *rest])
