"""The C libraries that stand for DOCA's, and the real ones that this machine has."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing alone would take longer than the launcher
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

# Release of DOCA -> where the library lies that had other functions, or other types, than in the releases beside it.
RELEASES = {"2.6": "cc-2.6", "2.5": "cc-2.5", "1.4": "comm_channel-1.4"}
RELEASE = "2.6"  # unless one is named
_HOMES = [os.path.join(folder, "capi") for folder in (PACKAGE, os.path.join(os.path.dirname(PACKAGE), "comch_next"))]
_CACHE = "/etc/ld.so.cache"


def folders(kind: str, release: str = RELEASE) -> list[str]:
    """The folders of our "lib", "include" or "pkgconfig" files; empty where they were not built."""
    homes = [os.path.join(_HOMES[0], RELEASES[release]), *_HOMES]
    return [path for path in (os.path.join(home, kind) for home in homes) if os.path.isdir(path)]


def audit_stub() -> str | None:
    """The compiled audit.c, whatever Python calls an extension."""
    here = os.path.dirname(os.path.realpath(__file__))
    names = (name for name in os.listdir(here) if name.startswith("audit.") and name.endswith(".so"))
    return next((os.path.join(here, name) for name in names), None)


def libraries() -> list[str]:
    """The file names that our libraries have; versioned ones, which programs load, come first."""
    return sorted({name for folder in folders("lib") for name in os.listdir(folder) if ".so" in name}, reverse=True)


def why_programs_cannot_start() -> str | None:
    """Return what compiled programs lack: our libraries, or Python's shared library; None if they can start."""
    import ctypes  # only a launch of a compiled program waits for it

    found = (os.path.join(folder, "libdoca_common.so.2") for folder in folders("lib"))
    library = next(filter(os.path.exists, found), None)
    if library is None:
        return f"the C libraries have not been built into {_HOMES[0]}; install the toolkit again"
    ask = ctypes.CDLL(library).comch_face_lacks_python
    ask.restype = ctypes.c_char_p
    lacking: bytes | None = ask()
    return None if lacking is None else os.fsdecode(lacking)


def installed(environment: Mapping[str, str], cache: str = _CACHE) -> str | None:
    """The first real library that programs would find under one of our names, as the dynamic linker looks for it."""
    names = libraries()
    ours = {os.path.realpath(folder) for release in RELEASES for folder in folders("lib", release)}
    for folder in _linker_folders(environment):
        if os.path.realpath(folder) not in ours:
            for name in names:
                if os.path.exists(os.path.join(folder, name)):
                    return os.path.join(folder, name)
    return next(_cached(names, cache), None)


def _linker_folders(environment: Mapping[str, str]) -> Iterator[str]:
    yield from filter(None, environment.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":"))
    for folder in ("/lib", "/usr/lib", "/lib64", "/usr/lib64"):
        yield folder
        yield os.path.join(folder, getattr(sys.implementation, "_multiarch", ""))


def _cached(names: Sequence[str], cache: str) -> Iterator[str]:
    """Paths of libraries in the linker's cache, a binary file in which each path ends with a NUL."""
    try:
        with open(cache, "rb") as file:
            content = file.read()
    except OSError:
        return
    for name in names:
        end = content.find(f"/{name}\0".encode()) + len(name) + 1
        if end > len(name):
            path = os.fsdecode(content[content.rfind(b"\0", 0, end) + 1 : end])
            if os.path.exists(path):
                yield path
