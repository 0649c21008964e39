"""Fork with a signal in the child that arrives before the library has disinherited anything.

What its handler raises there is lost, at the latest in what the module `random` has called at a fork.
"""

import ctypes
import os
import signal
from functools import partial

os.register_at_fork(after_in_child=partial(ctypes.CDLL(None)["raise"], signal.SIGINT))

import random  # noqa: E402, F401

import comch_next as comch  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)
before = os.listdir("/proc/self/fd")
device = comch.open_device("03:00.0")
server = comch.Server(device, device.open_representor("b1:00.0"), "svc")
server.listen()
if child := os.fork():
    os.waitpid(child, 0)
else:
    try:
        server.stop()
    except comch.DocaError as error:
        print(type(error).__name__)
    left = set(os.listdir("/proc/self/fd")) - set(before)
    print(*left or ["nothing is open"], flush=True)
    os._exit(0)
