"""What pkg-config reports of a face: where it lies is found from the file's own place."""

from __future__ import annotations

import os
from collections.abc import Iterator

from comch_next.capi._building.libraries import FACES, Face

__all__ = ["RELEASE", "modules"]

RELEASE = "3.0.0058"  # whose signatures the faces have

# The faces whose time had one module for all libraries, and which of these it brought beside the face's own.
_ALL_IN_ONE = {
    **dict.fromkeys(("comm_channel", "comm_channel-1.4"), ()),
    **dict.fromkeys(("cc-2.5", "cc-2.6"), ("doca-comm-channel",)),
}

_MODULE = """prefix=${{pcfiledir}}/..
libdir=${{prefix}}/lib
includedir=${{prefix}}/include

Name: {name}
Description: {description}
Version: {version}
Requires: {requires}
Libs: {libs}
Cflags: {cflags}
"""


def modules(face: Face) -> Iterator[tuple[str, str]]:
    """Name and text of each module of a face: its own, and for the old ones the module that held them all."""
    name = f"doca-{face.name.replace('_', '-')}"
    requires = " ".join(f"doca-{need}" for need in face.needs)
    libs = f"-L${{libdir}} -ldoca_{face.name}{_rpath_link(face)}"
    release = face.doca or RELEASE
    yield f"{name}.pc", _module(name, f"stand-in for {face.soname}", release, requires, libs, "-I${includedir}")
    if face.key in _ALL_IN_ONE:
        every = " ".join((name, *_ALL_IN_ONE[face.key], "doca-argp"))
        description = f"the stand-ins for the libraries of DOCA {face.doca or '2.2'}"
        yield "doca.pc", _module("doca", description, release, every, "", "")


def _rpath_link(face: Face) -> str:
    """Where the linker finds the faces of other packages that this one needs."""
    folders = {FACES[need].folder for need in face.needs} - {face.folder}
    return "".join(f" -Wl,-rpath-link,${{prefix}}/{os.path.relpath(each, face.folder)}/lib" for each in folders)


def _module(name: str, description: str, version: str, requires: str, libs: str, cflags: str) -> str:
    fields = {"version": version, "requires": requires, "libs": libs, "cflags": cflags}
    return _MODULE.format(name=name, description=description, **fields)
