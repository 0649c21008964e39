"""The backends of the log, as programs make them."""

from __future__ import annotations

from tests.processes import StartPython

PROGRAM = """
import ctypes, os
from pathlib import Path
import comch_next
lib = ctypes.CDLL(str(Path(comch_next.__file__).parent / "capi" / "lib" / "libdoca_common.so.2"))
buffer, backend, source = ctypes.create_string_buffer(1 << 13), ctypes.c_void_p(), ctypes.c_int()
flush = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(print)
most = ctypes.c_size_t((1 << 32) + 1)
assert lib.doca_log_backend_create_with_buf(buffer, most, flush, ctypes.byref(backend)) == 0
lib.doca_log_register_source(b"me", ctypes.byref(source))
lib.doca_log(20, source, b"f.c", 1, b"main", b"hello")
print(buffer.value.decode().split()[-1])
nowhere = os.open(os.devnull, os.O_WRONLY)
while lib.doca_log_backend_create_with_fd(nowhere, ctypes.byref(backend)) == 0:
    pass
print([lib.doca_log_backend_create_standard() for _ in range(2)])
"""

FORK = """
import ctypes, os, threading
from pathlib import Path
import comch_next
lib = ctypes.CDLL(str(Path(comch_next.__file__).parent / "capi" / "lib" / "libdoca_common.so.2"))
buffer, backend, source = ctypes.create_string_buffer(256), ctypes.c_void_p(), ctypes.c_int()
inside, forked = threading.Event(), threading.Event()

def flush(_):
    inside.set()
    forked.wait()

def log(text):
    lib.doca_log(20, source, b"f.c", 1, b"main", text)

def fill():
    while not inside.is_set():
        log(b"of the parent")
    log(b"the last")

handler = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(flush)
assert lib.doca_log_backend_create_with_buf(buffer, ctypes.c_size_t(256), handler, ctypes.byref(backend)) == 0
lib.doca_log_register_source(b"me", ctypes.byref(source))
thread = threading.Thread(target=fill)
thread.start()
inside.wait()
child = os.fork()
if not child:
    log(b"of the child")
    os._exit(buffer.value.count(b" of the ") + 10 * buffer.value.count(b" of the child"))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
forked.set()
thread.join()
print(buffer.value.decode().split("] ")[-1])
"""


def test_a_fork_while_a_buffer_is_flushed(start_python: StartPython) -> None:
    """The handler waits for the thread that forks; in the child the buffer takes messages, and none of the parent's."""
    done = start_python("-W", "ignore", "-c", FORK).finish()
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "11\nthe last\n\n")


def test_what_has_no_place_is_not_there_and_a_large_buffer_takes_what_comes(start_python: StartPython) -> None:
    done = start_python("-c", PROGRAM).finish()
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "hello\n[24, 24]\n")
