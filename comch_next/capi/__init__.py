"""The C face: libdoca_common, libdoca_argp, libdoca_comch and libdoca_dpa over the emulated library, for C programs.

A face is a shared library with the real one's SONAME and functions, made when the project is installed (_building)
from the fact tables. Each of its functions is a small C wrapper around a Python function, in an interpreter that the
first call finds and starts, unless the program is Python itself. No library needs Python to be linked or loaded.

_building     how the libraries, headers and pkg-config files are made: wrappers from prototypes
_sources      what is C by hand: the interpreter, found and started; the log; the calls of loops
_starting     what a library asks for at its first call
binding       a function of the tables as a Python function that C calls: arguments, results, codes
_callbacks    the program's functions that Python calls      _pointers  their types, generated
handles       the one table of handles: what a pointer that C holds stands for
seam          which call of the driver a function is
_common, _memory         the functions of libdoca_common
_comch, _fast_path       the functions of libdoca_comch
_argp                    the functions of libdoca_argp
_dpa, _kernels           the functions of libdoca_dpa, and C functions as kernels
lib, include, pkgconfig, _face_*  what was made; _face_ are the modules between the libraries and Python
"""
