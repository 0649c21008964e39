"""Builds the C kernels (see their headers) into one module for cffi, which names four system calls beside."""

import re
from pathlib import Path

from cffi import FFI

_HERE = Path(__file__).parent
_KERNELS = ("pace", "ring", "posts", "foreign", "remote")


def _declarations(header: str) -> str:
    """The header without comments and preprocessor lines, which is all that cffi reads."""
    return re.sub(r"/\*.*?\*/|^#[^\n]*$", "", header, flags=re.DOTALL | re.MULTILINE)


def _texts(suffix: str) -> str:
    return "\n".join((_HERE / f"{kernel}.{suffix}").read_text(encoding="ascii") for kernel in _KERNELS)


ffi = FFI()
ffi.cdef(_declarations(_texts("h")))
ffi.cdef("int inotify_init1(int flags); int inotify_add_watch(int fd, const char *path, uint32_t mask);")
ffi.cdef("""
    typedef int... time_t;
    struct timespec { time_t tv_sec; long tv_nsec; ...; };
    struct itimerspec { struct timespec it_interval, it_value; };
    int timerfd_create(int clock, int flags);
    int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old);
""")
ffi.set_source(
    "comch_next.driver.emulated._kernel._ring_c",
    "#include <sys/inotify.h>\n#include <sys/timerfd.h>\n" + _texts("c"),
    include_dirs=[str(_HERE)],
    depends=[str(_HERE / f"{kernel}.{suffix}") for kernel in _KERNELS for suffix in "ch"] + [str(_HERE / "bells.h")],
    extra_compile_args=["-O2", "-std=gnu11", "-Wall", "-Wextra"],
    extra_link_args=["-pthread"],
)

if __name__ == "__main__":
    ffi.compile(verbose=True)
