"""The lab's own channel module: hands the library on, with helpers."""
import time as _time

import doca_comm_channel as cc
from doca_comm_channel import Again, DocaError
from .roles import dial, serve

__all__ = ["Again", "DocaError", "cc", "dial", "patient", "serve"]


def patient(call, *args):
    tries = 100000

    def once():
        nonlocal tries
        tries -= 1
        try:
            return True, call(*args)
        except (cc.Again, cc.ConnectionInprogress):
            return False, None

    while tries:
        done, result = once()
        if done:
            return result
        _time.sleep(1e-4)
    raise TimeoutError


dial.retry = patient
