"""What pkg-config reports of a face: where it lies is found from the file's own place."""

from __future__ import annotations

import os
from collections.abc import Iterator

from comch_next.capi._building.libraries import FACES, Face

__all__ = ["RELEASE", "modules"]

RELEASE = "3.0.0058"  # whose signatures the faces have

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
    """Name and text of each module of a face: its own, and for the oldest one the module that held them all."""
    name = f"doca-{face.name.replace('_', '-')}"
    requires = " ".join(f"doca-{need}" for need in face.needs)
    libs = f"-L${{libdir}} -ldoca_{face.name}{_rpath_link(face)}"
    yield f"{name}.pc", _module(name, f"stand-in for {face.soname}", requires, libs, "-I${includedir}")
    if face.name == "comm_channel":
        yield "doca.pc", _module("doca", "the stand-ins for the libraries of DOCA 2.2", f"{name} doca-argp", "", "")


def _rpath_link(face: Face) -> str:
    """Where the linker finds the faces of other packages that this one needs."""
    folders = {FACES[need].folder for need in face.needs} - {face.folder}
    return "".join(f" -Wl,-rpath-link,${{prefix}}/{os.path.relpath(each, face.folder)}/lib" for each in folders)


def _module(name: str, description: str, requires: str, libs: str, cflags: str) -> str:
    fields = {"requires": requires, "libs": libs, "cflags": cflags}
    return _MODULE.format(name=name, description=description, version=RELEASE, **fields)
