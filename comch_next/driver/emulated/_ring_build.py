"""Builds the ring kernel: the declarations come from `_ring.h`, the code from `_ring.c`."""

import re
from pathlib import Path

from cffi import FFI

_HERE = Path(__file__).parent


def _declarations(header: str) -> str:
    """The header without comments and preprocessor lines, which is all that cffi reads."""
    return re.sub(r"/\*.*?\*/|^#[^\n]*$", "", header, flags=re.DOTALL | re.MULTILINE)


ffi = FFI()
ffi.cdef(_declarations((_HERE / "_ring.h").read_text(encoding="ascii")))
ffi.set_source(
    "comch_next.driver.emulated._ring_c",
    (_HERE / "_ring.c").read_text(encoding="ascii"),
    include_dirs=[str(_HERE)],
    depends=[str(_HERE / "_ring.c"), str(_HERE / "_ring.h")],
    extra_compile_args=["-O2", "-std=gnu11", "-Wall", "-Wextra"],
)

if __name__ == "__main__":
    ffi.compile(verbose=True)
