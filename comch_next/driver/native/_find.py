"""Where the DOCA libraries are: COMCH_DOCA_LIB, else what the loader finds by soname, else pkg-config."""

import os
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from comch_next import api
from comch_next.api import Generation
from comch_next.driver.protocol import by_system
from comch_next.errors import NotSupported

if TYPE_CHECKING:
    from cffi import FFI

__all__ = ["GENERATIONS", "open_libraries"]

GENERATIONS: tuple[Generation, ...] = ("core", "comch")  # in the order of loading: the second one needs the first
_BEFORE_THE_SPLIT = "doca"  # the one pkg-config module of releases that had no module for each library
_PKG_CONFIG_S = 5.0


def open_libraries(ffi: "FFI") -> dict[Generation, tuple[Any, str]]:
    """Open libdoca_common and libdoca_comch; return each with the path where it was found.

    Raises NotSupported if one of them cannot be loaded; the message lists every attempt and why it failed.
    """
    tried: list[str] = []
    found: dict[Generation, tuple[Any, str]] = {}
    for generation in GENERATIONS:
        for path in _candidates(generation, tried):
            try:
                found[generation] = ffi.dlopen(path), path
                break
            except by_system(OSError) as error:
                tried.append(f"{path}: {error}")
        else:
            soname = api.library(generation).soname
            listed = "".join(f"\n  {attempt}" for attempt in tried)
            raise NotSupported(f"driver 'native' cannot be loaded: {soname} was not found; tried:{listed}")
    return found


def _candidates(generation: Generation, tried: list[str]) -> Iterator[str]:
    """Yield names for the loader, the likeliest first; only those of COMCH_DOCA_LIB if that is set and not empty."""
    library = api.library(generation)
    given = os.environ.get("COMCH_DOCA_LIB")
    if not given:
        yield library.soname
        for directory in _pkg_config_directories(library.pkg_config.split()[0], tried):
            yield os.path.join(directory, library.soname)
    elif os.path.isdir(given):
        yield from (os.path.join(given, name) for name in (library.soname, library.file))
    else:
        yield given  # one file: what else is needed is in it, or it names the library that has it


def _pkg_config_directories(module: str, tried: list[str]) -> Iterator[str]:
    """Yield the library directories that pkg-config reports; add failures to `tried`."""
    for name in (module, _BEFORE_THE_SPLIT):
        command = ["pkg-config", "--variable=libdir", name]
        try:
            ended = subprocess.run(
                command, capture_output=True, text=True, errors="replace", timeout=_PKG_CONFIG_S, check=False
            )
        except by_system(OSError, subprocess.SubprocessError) as error:
            tried.append(f"{' '.join(command)}: {error}")
            continue
        if ended.returncode:
            tried.append(f"{' '.join(command)}: {' '.join(ended.stderr.split()) or 'failed'}")
        else:
            yield ended.stdout.strip()
