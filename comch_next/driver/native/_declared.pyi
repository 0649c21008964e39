"""The C types and functions of the libraries, parsed from the fact tables at installation; see setup.py."""

from cffi import FFI

class _Declared(FFI):
    error: type[Exception]  # also for a function that a library does not export

ffi: _Declared
