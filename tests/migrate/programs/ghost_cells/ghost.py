#!/usr/bin/env python3
# ghost.py RANK [steps]: 1-D wave stencil over two ranks; rank 0 runs on the DPU, rank 1 on the host.
#
# The exchange is the usual one: post the receives, start the sends, do the inner cells,
# wait for all, then the cells at the border.  Buffers are array.array, no numpy on the Arm.
import array
import sys
import time
from doca_comm_channel import *

TAG_HALO, TAG_NORM = 0x11, 0x22
NAME = "ghost-cells"
N = 6
MAXMSG = 512
TIMEOUT = 60.0
ANY = -1

comm = None


class Comm:
    """A communicator of two ranks."""

    def __init__(self, rank):
        self.rank = rank
        self.size = 2
        self.dev = self.rep = self.ep = self.peer = None
        self.posted = []
        self.unexpected = []
        self.nsend = self.nrecv = 0


class Request:
    def __init__(self, kind, tag, buf):
        self.kind, self.tag, self.buf, self.done = kind, tag, buf, False


def abort(what, rc):
    sys.stderr.write("rank %d: %s: %s\n" % (comm.rank, what, doca_error_get_descr(rc)))
    sys.exit(70)


def ok(rc, what):
    if DOCA_IS_ERROR(rc):
        abort(what, rc)


def open_by_pci(pci):
    rc, devs, n = doca_devinfo_create_list()
    ok(rc, "list")
    found = None
    for i in range(n):
        rc, equal = doca_devinfo_is_equal_pci_addr(devs[i], pci)
        if rc == DOCA_SUCCESS and equal:
            rc, found = doca_dev_open(devs[i])
            ok(rc, "open")
            break
    doca_devinfo_destroy_list(devs)
    if found is None:
        abort(pci, DOCA_ERROR_NOT_FOUND)
    return found


def open_rep(dev, pci):
    rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEV_REP_FILTER_NET)
    ok(rc, "representors")
    rep = None
    for info in reps[:n]:
        if doca_devinfo_rep_is_equal_pci_addr(info, pci)[1]:
            rc, rep = doca_dev_rep_open(info)
            ok(rc, "open representor")
    doca_devinfo_rep_destroy_list(reps)
    return rep


def comm_init(rank):
    global comm
    comm = Comm(rank)
    comm.dev = open_by_pci("03:00.0" if rank == 0 else "b1:00.0")
    rc, comm.ep = doca_comm_channel_ep_create()
    ok(rc, "create")
    ok(doca_comm_channel_ep_set_device(comm.ep, comm.dev), "device")
    ok(doca_comm_channel_ep_set_max_msg_size(comm.ep, MAXMSG), "size")
    for setter in (doca_comm_channel_ep_set_send_queue_size, doca_comm_channel_ep_set_recv_queue_size):
        ok(setter(comm.ep, 16), "queues")
    if rank == 0:
        comm.rep = open_rep(comm.dev, "b1:00.0")
        ok(doca_comm_channel_ep_set_device_rep(comm.ep, comm.rep), "representor")
        ok(doca_comm_channel_ep_listen(comm.ep, NAME), "listen")
        print("rank 0 is listening")
        # the first message of rank 1 shows who it is
        hello = array.array("q", [0])
        wait(irecv(hello, ANY))
        print("rank 0: hello from rank", hello[0])
    else:
        rc, comm.peer = doca_comm_channel_ep_connect(comm.ep, NAME)
        ok(rc, "connect")
        end = time.time() + TIMEOUT
        while (rc := doca_comm_channel_peer_addr_update_info(comm.peer)) == DOCA_ERROR_CONNECTION_INPROGRESS:
            if time.time() > end:
                break
        ok(rc, "handshake")
        wait(isend(array.array("q", [rank]), 0))


def isend(buf, tag):
    view = memoryview(array.array("I", [tag, len(buf)]).tobytes() + buf.tobytes())
    req = Request("send", tag, view)
    progress_send(req)
    return req


def irecv(buf, tag):
    req = Request("recv", tag, buf)
    for entry in comm.unexpected:
        if tag in (ANY, entry[0]):
            comm.unexpected.remove(entry)
            fill(req, entry[1])
            return req
    comm.posted.append(req)
    return req


def fill(req, body):
    req.buf[:] = array.array(req.buf.typecode, bytes(body))
    req.done = True


def progress_send(req):
    if req.done:
        return
    rc = doca_comm_channel_ep_sendto(comm.ep, req.buf, len(req.buf), DOCA_CC_MSG_FLAG_NONE, comm.peer)
    if rc == DOCA_SUCCESS:
        req.done = True
        comm.nsend += 1
    elif rc != DOCA_ERROR_AGAIN:
        abort("send", rc)


def progress():
    rc, data, length, peer = doca_comm_channel_ep_recvfrom(comm.ep, MAXMSG, DOCA_CC_MSG_FLAG_NONE)
    if rc == DOCA_ERROR_AGAIN:
        return
    ok(rc, "receive")
    if comm.peer is None:
        comm.peer = peer
    comm.nrecv += 1
    tag, count = array.array("I", data[:8])
    body = memoryview(data)[8:length]
    assert count * 8 == len(body), (count, len(body))
    for req in comm.posted:
        if req.tag in (ANY, tag):
            comm.posted.remove(req)
            fill(req, body)
            return
    comm.unexpected.append((tag, body))


def wait(*requests):
    end = time.time() + TIMEOUT
    while not all(req.done for req in requests):
        progress()
        for req in requests:
            if req.kind == "send":
                progress_send(req)
        if time.time() > end:
            abort("wait", DOCA_ERROR_TIME_OUT)


def flush():
    # an error here: the other rank has left, it had all
    while doca_comm_channel_peer_addr_update_info(comm.peer) == DOCA_SUCCESS:
        rc, n = doca_comm_channel_peer_addr_get_send_in_flight_messages(comm.peer)
        if rc != DOCA_SUCCESS or not n:
            break


def finalize():
    flush()
    ok(doca_comm_channel_ep_disconnect(comm.ep, comm.peer), "disconnect")
    ok(doca_comm_channel_ep_destroy(comm.ep), "destroy")
    if comm.rep is not None:
        ok(doca_dev_rep_close(comm.rep), "close representor")
    ok(doca_dev_close(comm.dev), "close")


def main(argv):
    comm_init(int(argv[1]))
    steps = int(argv[2]) if len(argv) > 2 else 5
    # u[0] and u[N + 1] are ghosts; the far end of each rank is a wall
    u = array.array("q", [0] * (N + 2))
    if comm.rank == 1:
        u[1] = 1 << 20
    inner, ghost = (N, N + 1) if comm.rank == 0 else (1, 0)
    for step in range(steps):
        halo = array.array("q", [0])
        requests = irecv(halo, TAG_HALO), isend(u[inner:inner + 1], TAG_HALO)
        v = array.array("q", u)
        for i in range(1, N + 1):
            if i != inner:
                v[i] = (u[i - 1] + 2 * u[i] + u[i + 1]) // 4
        wait(*requests)
        u[ghost] = halo[0]
        v[inner] = (u[inner - 1] + 2 * u[inner] + u[inner + 1]) // 4
        u = v
    norm = array.array("q", [sum(u[1:N + 1])])
    theirs = array.array("q", [0])
    wait(isend(norm, TAG_NORM), irecv(theirs, TAG_NORM))
    print("rank %d: cells %s" % (comm.rank, u[1:N + 1].tolist()))
    print("rank %d: norm %d of %d" % (comm.rank, norm[0], norm[0] + theirs[0]))
    print("rank %d: %d sent, %d received, %d left over" % (comm.rank, comm.nsend, comm.nrecv, len(comm.unexpected)))
    finalize()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
