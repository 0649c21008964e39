"""A daemon that cleans up wherever it is left: signal handlers, atexit, __del__ and ExitStack read what is bound."""
import atexit
import gc
import os
import signal
import sys
import time
from contextlib import ExitStack

import doca_comm_channel as cc

ep = None
peer = None
stopping = False


class Lease:
    """Holds the device for as long as it lives."""

    def __init__(self, pci, rep_pci):
        try:
            self.dev = cc.open_device(pci)
            self.rep = self.dev.open_representor(rep_pci)
            self.ep = cc.Endpoint()
            self.ep.set_device(self.dev)
            self.ep.set_device_rep(self.rep)
        except Exception:
            print("no lease of", rep_pci)
            raise

    def __del__(self):
        if hasattr(self, "ep"):
            self.ep.destroy()
            self.rep.close()
        self.dev.close()
        print("lease ended")


def on_term(signum, frame):
    global stopping
    stopping = True
    print("signal", signal.Signals(signum).name, "with", "a peer" if peer is not None else "no peer")
    if peer is not None:
        ep.sendto(b"going down", peer)


@atexit.register
def last():
    if ep is None:
        print("exit without an endpoint")
        return
    try:
        ep.disconnect(peer)
        print("exit: disconnected")
    except cc.NotConnected:
        print("exit: nothing to disconnect")


def serve():
    global peer
    deadline = time.monotonic() + 60
    while not stopping and time.monotonic() < deadline:
        try:
            data, peer = ep.recvfrom(100)
        except cc.Again:
            time.sleep(1e-4)
            continue
        print("got", data.decode())
        if data == b"stop":
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            ep.sendto(data, peer)
    return stopping


def main():
    global ep, stopping
    signal.signal(signal.SIGTERM, on_term)
    os.kill(os.getpid(), signal.SIGTERM)            # before anything is open
    stopping = False
    with ExitStack() as stack:
        stack.callback(lambda: print("endpoint", "open" if ep is not None else "none"))
        try:
            Lease("03:00.0", "b1:00.7")
        except LookupError as error:
            print("refused:", error.name)
        gc.collect()
        lease = Lease("03:00.0", "b1:00.0")
        lease.ep.listen("signal_cleanup")
        ep = lease.ep
        print("listening")
        clean = serve()
    last()
    atexit.unregister(last)
    ep = None
    lease = None
    gc.collect()
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
