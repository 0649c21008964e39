import errno
import os

from cffi import FFI

from netpkg import _cdef

ffi = FFI()
for text in (_cdef.CORE, _cdef.CHANNEL, *(_cdef.BOTH % {"side": side} for side in ("server", "client"))):
    ffi.cdef(text)
core = ffi.dlopen("libdoca_common.so.2")
cc = ffi.dlopen(os.environ.get("NETPKG_LIBRARY", "libdoca_cc.so.2"))
ERRNO = {5: errno.EAGAIN, 6: errno.EINVAL, 9: errno.ETIMEDOUT, 12: errno.ECONNABORTED}


def check(rc):
    if rc:
        name = ffi.string(core.doca_error_get_name(rc)).decode()
        raise OSError(ERRNO.get(rc, errno.EIO), name)


def made(ctype, function, *args):
    slot = ffi.new(ctype + "**")
    check(function(*args, slot))
    return slot[0]


def first(ctype, listing, free, opening, wanted, *head):
    infos, n = ffi.new(f"{ctype}***"), ffi.new("uint32_t*")
    check(listing(*head, infos, n))
    try:
        for i in range(n[0]):
            if wanted(infos[0][i]):
                return opening(infos[0][i])
    finally:
        check(free(infos[0]))
    raise OSError(errno.ENODEV, "no device for the channel")
