"""Makes every face: source from the tables, compiled and linked, with links, headers and pkg-config files beside."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from cffi import FFI

from comch_next.capi._building.forwarding import forwarding_source
from comch_next.capi._building.headers import headers
from comch_next.capi._building.libraries import FACES, Face
from comch_next.capi._building.pkg_config import RELEASE, modules
from comch_next.capi._building.wrappers import ENTER, KERNEL, SOURCES, c_source, python_side, wrapped

__all__ = ["Compile", "build", "missing"]

Compile = Callable[[Path, Path, list[str], list[str]], None]  # source, library, compiler flags, linker flags

_REPORTS = ("void comch_face_report(const char *text);", "void comch_face_refused(uint32_t level, const char *text);")


def missing() -> str:
    """Say what this Python lacks for C programs, or nothing."""
    return "" if _is_shared() else f"{sys.executable} has no shared library to link against (configure --enable-shared)"


def _is_shared() -> bool:
    return bool(sysconfig.get_config_var("Py_ENABLE_SHARED"))


def build(root: Path, scratch: Path, compiler: Compile) -> None:
    """Make the faces below `root`, where the packages lie. Sources are generated in the folder `scratch`."""
    for face in FACES.values():
        folder = root / face.folder
        for kind, texts in (("include", headers(face)), ("pkgconfig", modules(face))):
            (folder / kind).mkdir(parents=True, exist_ok=True)
            for name, text in texts:
                (folder / kind / name).write_text(text, encoding="ascii")
    for face in FACES.values():
        _link(root, face, _generate(face, scratch), compiler)


def _generate(face: Face, scratch: Path) -> Path:
    """Write the C file of a face: cffi's part and the wrappers, or where no Python stands behind it the calls."""
    scratch.mkdir(parents=True, exist_ok=True)
    if not face.module:
        path = scratch / f"_doca_{face.key}.c"
        path.write_text(forwarding_source(face), encoding="ascii")
        return path
    ffi = FFI()
    ffi.embedding_api("")
    declarations = "".join(f"{python_side(row)};\n" for row in wrapped(face))
    ffi.cdef(f'extern "Python" {{\n{ENTER};\n{declarations}}}\n')
    ffi.cdef("\n".join((*_REPORTS, *face.calls)))
    module = re.sub(r"\W", "_", f"_doca_{face.key}")
    ffi.embedding_init_code(f"from {face.module} import attach\nfrom {module} import ffi, lib\nattach(ffi, lib)\n")
    ffi.set_source(module, c_source(face))
    path = scratch / f"{module}.c"
    ffi.emit_c_code(str(path))
    return path


def _link(root: Path, face: Face, source: Path, compiler: Compile) -> None:
    library = root / face.folder / "lib" / face.soname
    library.parent.mkdir(parents=True, exist_ok=True)
    folders = {os.path.relpath(FACES[need].folder, face.folder) for need in face.needs}
    places = [f"$ORIGIN/../{folder}/lib" for folder in sorted(folders)]
    python: list[str] = []  # of a Python without a shared library the process has the symbols, if it is that Python
    if _is_shared():
        places.insert(0, sysconfig.get_config_var("LIBDIR"))
        python = ["-Wl,--no-undefined", f"-L{places[0]}", f"-lpython{sysconfig.get_config_var('LDVERSION')}"]
    seen = [face, *(each for each in FACES.values() if each.name != face.name)]  # of one name only this release
    includes = [SOURCES, KERNEL, *(root / each.folder / "include" for each in seen)]
    version = sysconfig.get_python_version()
    defines = {"COMCH_FACE_VERSION": version, "COMCH_FACE_EXECUTABLE": sys.executable, "COMCH_FACE_RELEASE": RELEASE}
    cflags = [f"-I{folder}" for folder in includes] + [f'-D{name}="{value}"' for name, value in defines.items()]
    needed = [str(root / FACES[need].folder / "lib" / FACES[need].soname) for need in face.needs]
    rpath = [f"-Wl,-rpath,{':'.join(places)}"] if places else []
    ldflags = [f"-Wl,-soname,{face.soname}", *rpath, *needed, *python]
    ldflags.append("-Wl,-z,nodelete")  # the interpreter goes on with what it has of the library
    flags = ["-O2", "-std=gnu11", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unused-parameter"]
    compiler(source, library, flags + cflags, ldflags)
    link = library.with_suffix("")  # libdoca_x.so
    link.unlink(missing_ok=True)
    link.symlink_to(library.name)
