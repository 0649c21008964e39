"""Name the C extensions, which pyproject.toml cannot: the kernels of the emulated fabric, and their calls."""

from setuptools import Extension, setup

_KERNEL = "comch_next/driver/emulated/_kernel"
_CALLS = (
    *("calls", "link", "poller", "mapping", "quick", "context", "task", "send_task"),
    *("fast", "consumer", "producer", "completion", "progress"),
)

setup(
    cffi_modules=[f"{_KERNEL}/build.py:ffi"],
    ext_modules=[
        Extension(
            f"{_KERNEL}/calls".replace("/", "."),
            sources=[f"{_KERNEL}/{source}.c" for source in (*_CALLS, "ring", "posts")],
            depends=[f"{_KERNEL}/{header}.h" for header in ("objects", "fast", "ring", "posts", "bells")],
            extra_compile_args=["-O2", "-std=gnu11", "-Wall", "-Wextra"],
            py_limited_api=True,
        )
    ],
)
