"""Builds the ring kernel (declared in `_ring.h`, written in `_ring.c`), and names two system calls beside it."""

import re
from pathlib import Path

from cffi import FFI

_HERE = Path(__file__).parent


def _declarations(header: str) -> str:
    """The header without comments and preprocessor lines, which is all that cffi reads."""
    return re.sub(r"/\*.*?\*/|^#[^\n]*$", "", header, flags=re.DOTALL | re.MULTILINE)


ffi = FFI()
ffi.cdef(_declarations((_HERE / "_ring.h").read_text(encoding="ascii")))
ffi.cdef("int inotify_init1(int flags); int inotify_add_watch(int fd, const char *path, uint32_t mask);")
ffi.set_source(
    "comch_next.driver.emulated._ring_c",
    "#include <sys/inotify.h>\n" + (_HERE / "_ring.c").read_text(encoding="ascii"),
    include_dirs=[str(_HERE)],
    depends=[str(_HERE / "_ring.c"), str(_HERE / "_ring.h")],
    extra_compile_args=["-O2", "-std=gnu11", "-Wall", "-Wextra"],
)

if __name__ == "__main__":
    ffi.compile(verbose=True)
