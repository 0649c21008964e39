"""The C types and functions of the libraries, parsed from the fact tables at installation; see setup.py."""

from cffi import FFI

ffi: FFI
