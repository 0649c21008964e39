"""Name the C extensions, which pyproject.toml cannot: the fabric's kernels, their calls, the launcher's stub."""

from setuptools import Extension, setup

_KERNEL = "comch_next/driver/emulated/_kernel"
_CALLS = (
    *("calls", "link", "poller", "mapping", "context", "task", "send_task"),
    *("quick", "quick_send", "quick_receive"),
    *("fast", "consumer", "producer", "completion", "progress"),
)

setup(
    cffi_modules=[f"{_KERNEL}/build.py:ffi"],
    ext_modules=[
        Extension(
            f"{_KERNEL}/calls".replace("/", "."),
            sources=[f"{_KERNEL}/{source}.c" for source in (*_CALLS, "ring", "posts")],
            depends=[f"{_KERNEL}/{header}.h" for header in ("objects", "quick", "fast", "ring", "posts", "bells")],
            extra_compile_args=["-O2", "-std=gnu11", "-Wall", "-Wextra"],
            py_limited_api=True,
        ),
        Extension(
            "comm_channel_compat._launcher.audit",  # no module: the dynamic linker loads it
            sources=["comm_channel_compat/_launcher/audit.c"],
            extra_compile_args=["-O2", "-std=gnu11", "-Wall", "-Wextra"],
            py_limited_api=True,
        ),
    ],
)
