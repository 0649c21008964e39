"""A fork while another thread makes a first call of a library."""

from __future__ import annotations

from tests.processes import StartPython

PROGRAM = """
import ctypes, os, sys, threading
from pathlib import Path
import comch_next.capi._starting

folder = Path(comch_next.__file__).parent / "capi" / "lib"
library, number = ctypes.CDLL(str(folder / "libdoca_dpa.so.2")), ctypes.c_void_p()
importing, forking = threading.Event(), threading.Event()

class Waiting:
    def find_spec(self, name, path=None, target=None):
        if name.endswith("_face_dpa"):
            importing.set()
            forking.wait()

def call():
    return library.doca_dpa_start(None)

sys.meta_path.insert(0, Waiting())
os.register_at_fork(before=forking.set)
thread = threading.Thread(target=call)
thread.start()
importing.wait()
child = os.fork()
if not child:
    os._exit(call())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == call())
thread.join()
"""


def test_the_child_can_call_that_library(start_python: StartPython) -> None:
    done = start_python("-W", "ignore", "-c", PROGRAM).finish()
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "True\n")
