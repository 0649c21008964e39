"""How faces are made, when the project is installed; see build.py. Nothing here is imported when they run.

libraries    which face has which functions: one row each
wrappers     a face's C sources: one wrapper for each function, and the module that it calls
forwarding   the C source of a face that calls another's functions
headers      the headers that programs include
pkg_config   what pkg-config reports
build        all of it as files, compiled and linked
"""
