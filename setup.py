"""Name the C extensions, which pyproject.toml cannot: the kernels of the emulated fabric, and their calls."""

from setuptools import Extension, setup

_KERNEL = "comch_next/driver/emulated/_kernel"

setup(
    cffi_modules=[f"{_KERNEL}/build.py:ffi"],
    ext_modules=[
        Extension(
            f"{_KERNEL}/calls".replace("/", "."),
            sources=[f"{_KERNEL}/calls.c", f"{_KERNEL}/ring.c"],
            depends=[f"{_KERNEL}/ring.h"],
            extra_compile_args=["-O2", "-std=gnu11", "-Wall", "-Wextra"],
            py_limited_api=True,
        )
    ],
)
