"""Name what pyproject.toml cannot: the fabric's kernels, all that is quick in C, and the C faces."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from cffi import FFI
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

_ROOT = Path(__file__).resolve().parent
_KERNEL = "comch_next/driver/emulated/_kernel"
_DECLARED = "comch_next/driver/native/_declared.py"
_NATIVE = "comch_next/driver/native/_kernel"
_TIMERS = """
struct timespec { long tv_sec; long tv_nsec; };
struct itimerspec { struct timespec it_interval, it_value; };
int timerfd_create(int, int);
int timerfd_settime(int, int, const struct itimerspec *, struct itimerspec *);
"""
_CALLS = (
    *("calls", "link", "poller", "channel", "mapping", "context", "task", "send_task"),
    *("quick", "quick_send", "quick_receive", "quick_wait", "direct"),
    *("fast", "consumer", "producer", "completion", "progress", "turns"),
)
_HEADERS = ("objects", "quick", "direct", "fast", "pace", "ring", "posts", "bells", "foreign")


def _load_builder() -> ModuleType:
    """Import what makes the faces, without comch_next itself, which needs what is only being built."""
    package = sys.modules["comch_next"] = ModuleType("comch_next")
    package.__path__ = [str(_ROOT / "comch_next")]
    from comch_next.capi._building import build

    return build


def _declare(root: Path) -> None:
    """Write down what cffi makes of the declarations that the native driver needs."""
    from comch_next.api import prototypes

    ffi = FFI()
    ffi.set_source("_declared", None)
    ffi.cdef(prototypes.cdef("core", "comch") + _TIMERS)
    ffi.emit_python_code(str(root / _DECLARED))


class BuildExtensionsAndFaces(build_ext):
    """Builds the extensions, then the shared libraries that C programs load."""

    def run(self) -> None:
        super().run()
        is_checkout = bool(self.inplace or self.editable_mode)
        root = _ROOT if is_checkout else Path(self.build_lib)
        executable = sys.executable if is_checkout else ""
        _load_builder().build(root, Path(self.build_temp), self._compile, executable)
        _declare(root)

    def _compile(self, source: Path, library: Path, cflags: list[str], ldflags: list[str]) -> None:
        objects = self.compiler.compile(
            [str(source)], output_dir=".", include_dirs=self.include_dirs, extra_postargs=cflags
        )
        self.compiler.link_shared_object(objects, str(library), extra_postargs=ldflags)


def _extension(name: str, sources: Sequence[str], headers: Sequence[str] = ()) -> Extension:
    """Describe a module of Python's stable ABI. It names the C library that it is for, whether or not it calls it."""
    folder, module = name.rsplit("/", 1)
    return Extension(
        f"{folder.replace('/', '.')}.{module}",
        sources=[f"{folder}/{source}.c" for source in sources],
        depends=[f"{folder}/{header}.h" for header in headers],
        extra_compile_args=["-O2", "-std=gnu11", "-Wall", "-Wextra"],
        extra_link_args=["-pthread", "-Wl,--no-as-needed", "-lc"],
        py_limited_api=True,
    )


setup(
    options={"bdist_wheel": {"py_limited_api": "cp310"}},  # one wheel for every Python from there on
    cffi_modules=[f"{_KERNEL}/build.py:ffi"],
    cmdclass={"build_ext": BuildExtensionsAndFaces},
    ext_modules=[
        _extension(f"{_KERNEL}/calls", (*_CALLS, "pace", "ring", "posts", "foreign"), _HEADERS),
        _extension("comch_next/_attributes", ("_attributes",)),
        _extension("comch_next/_method", ("_method",)),
        _extension("comch_next/driver/protocol/_shield", ("_shield",)),
        _extension(f"{_NATIVE}/calls", ("calls", "task", "send_task", "callbacks", "progress"), ("objects",)),
        _extension("comm_channel_compat/_launcher/audit", ("audit",)),  # no module: the dynamic linker loads it
    ],
)
