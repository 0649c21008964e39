"""The C face of generation 1: libdoca_comm_channel.so.2, for C programs and cffi scripts.

It is made as comch_next.capi is, shares its handle table and its libdoca_common, and stands on the flat functions.

_comm_channel    the functions of libdoca_comm_channel      _blocking  those that DOCA 1.2 to 1.4 had
_pointers        functions of pointers, made from the flat ones
_c_calls         calls of C libraries that stand on no old call, for the account of a run
lib, include, pkgconfig    what was made when the project was installed
"""
