"""Name the C extension, which pyproject.toml cannot: the ring of the emulated fabric."""

from setuptools import setup

setup(cffi_modules=["comch_next/driver/emulated/_kernel/build.py:ffi"])
