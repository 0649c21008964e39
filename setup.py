"""Name the C extensions, which pyproject.toml cannot: the kernels of the emulated fabric."""

from setuptools import Extension, setup

_HOME = "comch_next/driver/emulated"

setup(
    cffi_modules=[f"{_HOME}/_ring_build.py:ffi"],
    ext_modules=[
        Extension(
            "comch_next.driver.emulated._calls",
            sources=[f"{_HOME}/_calls.c", f"{_HOME}/_ring.c"],
            depends=[f"{_HOME}/_ring.h"],
            extra_compile_args=["-O2", "-std=gnu11", "-Wall", "-Wextra"],
            py_limited_api=True,
        )
    ],
)
