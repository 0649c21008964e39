"""Makes every face: source from the tables, compiled and linked, with links, headers and pkg-config files beside."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from cffi import FFI

from comch_next.capi._building.forwarding import forwarding_source
from comch_next.capi._building.headers import headers
from comch_next.capi._building.libraries import FACES, Face
from comch_next.capi._building.pkg_config import RELEASE, modules
from comch_next.capi._building.wrappers import KERNEL, SOURCES, declarations, extension_source, library_source

__all__ = ["Compile", "build"]

Compile = Callable[[Path, Path, list[str], list[str]], None]  # source, library, compiler flags, linker flags

_CFLAGS = (
    *("-O2", "-std=gnu11", "-D_GNU_SOURCE", "-fvisibility=hidden", "-fexceptions"),
    *("-Wall", "-Wextra", "-Wno-unused-parameter"),
)
_STABLE = "-DPy_LIMITED_API=0x030A0000"  # 3.10, the oldest that is supported


def build(root: Path, scratch: Path, compiler: Compile, executable: str = "") -> None:
    """Make the faces below `root`, where the packages lie. Sources are generated in the folder `scratch`.

    `executable` is the Python that a checkout is installed for; the place of an installation tells that itself.
    """
    for face in FACES.values():
        folder = root / face.folder
        for kind, texts in (("include", headers(face)), ("pkgconfig", modules(face))):
            (folder / kind).mkdir(parents=True, exist_ok=True)
            for name, text in texts:
                (folder / kind / name).write_text(text, encoding="ascii")
    scratch.mkdir(parents=True, exist_ok=True)
    for face in FACES.values():
        _make_library(root, face, scratch, compiler, executable)
    for face in FACES.values():
        if face.module:
            _make_extension(root, face, scratch, compiler)


def _library(root: Path, face: Face) -> Path:
    return root / face.folder / "lib" / face.soname


def _include(root: Path, face: Face) -> list[str]:
    seen = [face, *(other for other in FACES.values() if other.name != face.name)]  # of one name only this release
    folders = [SOURCES, KERNEL, *(root / other.folder / "include" for other in seen)]
    return [*_CFLAGS, *(f"-I{folder}" for folder in folders)]


def _make_library(root: Path, face: Face, scratch: Path, compiler: Compile, executable: str) -> None:
    """Make the library that programs are linked with, which needs no Python."""
    source = scratch / f"doca_{face.key}.c"
    source.write_text(library_source(face) if face.module else forwarding_source(face), encoding="ascii")
    library = _library(root, face)
    library.parent.mkdir(parents=True, exist_ok=True)
    defines = {"COMCH_FACE_EXECUTABLE": executable, "COMCH_FACE_RELEASE": RELEASE}
    cflags = _include(root, face) + [f'-D{name}="{value}"' for name, value in defines.items()]
    folders = sorted({os.path.relpath(FACES[need].folder, face.folder) for need in face.needs})
    ldflags = [f"-Wl,-soname,{face.soname}", *_needing(root, face.needs, [f"../{folder}/lib" for folder in folders])]
    compiler(source, library, cflags, [*ldflags, "-Wl,--no-undefined", "-pthread", "-ldl"])
    link = library.with_suffix("")  # libdoca_x.so
    link.unlink(missing_ok=True)
    link.symlink_to(library.name)


def _make_extension(root: Path, face: Face, scratch: Path, compiler: Compile) -> None:
    """Make the module between a library and Python, with the stable ABI of Python."""
    ffi = FFI()
    for text in declarations(face):
        ffi.cdef(text)
    ffi.set_source(face.extension, extension_source(face))
    package, _, name = face.extension.rpartition(".")
    source = scratch / f"{name}.c"
    ffi.emit_c_code(str(source))
    module = root.joinpath(*package.split("."), f"{name}.abi3.so")
    reports = FACES["common"].folder
    place = os.path.relpath(reports / "lib", Path(*package.split(".")))
    compiler(source, module, [_STABLE, *_include(root, face)], _needing(root, ("common",), [place]))


def _needing(root: Path, needs: tuple[str, ...], places: list[str]) -> list[str]:
    """Link with faces, which are found from the library's own place."""
    rpath = [f"-Wl,-rpath,{':'.join(f'$ORIGIN/{place}' for place in places)}"] if places else []
    return [*rpath, *(str(_library(root, FACES[need])) for need in needs)]
