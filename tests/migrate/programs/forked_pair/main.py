"""A regression test that forks: the child is the host, the parent the DPU; they compare notes through a pipe."""
import json
import os
import struct
import sys
import time

import doca_comm_channel as doca

SIZES = [1, 63, 64, 65, 1000, 4080]
GIVE_UP = time.time() + 60


def check(rc, what):
    if rc != doca.DOCA_SUCCESS:
        raise RuntimeError("%s: %s" % (what, doca.doca_error_get_name(rc)))


def spin(function, *args):
    while time.time() < GIVE_UP:
        out = function(*args)
        rc = out[0] if isinstance(out, tuple) else out
        if rc != doca.DOCA_ERROR_AGAIN and rc != doca.DOCA_ERROR_CONNECTION_INPROGRESS:
            return out
        time.sleep(1e-5)
    raise RuntimeError("timeout in " + function.__name__.rsplit("_", 1)[-1])


def endpoint(device):
    rc, ep = doca.doca_comm_channel_ep_create()
    check(rc, "create")
    check(doca.doca_comm_channel_ep_set_device(ep, device), "device")
    return ep


def host(notes):
    device = doca.open_device("b1:00.0")
    ep = endpoint(device)
    rc, peer = doca.doca_comm_channel_ep_connect(ep, "forked_pair")
    check(rc, "connect")
    check(spin(doca.doca_comm_channel_peer_addr_update_info, peer), "handshake")
    for size in SIZES:
        body = struct.pack("<I", size)[:size].ljust(size, b"-")
        check(spin(doca.doca_comm_channel_ep_sendto, ep, body, size, 0, peer), "send")
        rc, echo, length, _ = spin(doca.doca_comm_channel_ep_recvfrom, ep, 4080, 0)
        check(rc, "receive")
        notes.append([size, length, echo == body])
    check(doca.doca_comm_channel_ep_disconnect(ep, peer), "disconnect")
    check(doca.doca_comm_channel_ep_destroy(ep), "destroy")
    device.close()


def dpu(ep):
    for size in SIZES:
        rc, body, length, peer = spin(doca.doca_comm_channel_ep_recvfrom, ep, 4080, 0)
        check(rc, "receive")
        if length != size:
            raise RuntimeError("%d came for %d" % (length, size))
        check(spin(doca.doca_comm_channel_ep_sendto, ep, body, length, 0, peer), "send")


def main():
    reading, writing = os.pipe()
    ready, set_ = os.pipe()
    child = os.fork()
    if child == 0:
        notes, status = [], 0
        try:
            os.read(ready, 1)
            host(notes)
        except RuntimeError as error:
            notes, status = [str(error)], 5
        os.write(writing, json.dumps(notes).encode())
        os._exit(status)
    os.close(writing)
    device = doca.open_device("03:00.0")
    rep = device.open_representor("b1:00.0")
    ep = endpoint(device)
    check(doca.doca_comm_channel_ep_set_device_rep(ep, rep), "representor")
    check(doca.doca_comm_channel_ep_listen(ep, "forked_pair"), "listen")
    os.write(set_, b"!")
    try:
        dpu(ep)
        print("service is done")
    except RuntimeError as error:
        print("service:", error)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading) as notes:
        for note in json.load(notes):
            print(note)
    check(doca.doca_comm_channel_ep_destroy(ep), "destroy")
    rep.close()
    device.close()
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
