"""Hand out jobs, at most eight at a time, and collect what comes back."""
import sys
import time

import doca_comm_channel as dcc
from doca_glue import die, open_doca_device

JOBS = [b"%d:%s" % (n, b"abc" * n) for n in range(1, 25)]


def main():
    rc, dev = open_doca_device("b1:00.7")
    print("no such device:", dcc.doca_error_get_name(rc), dev)
    rc, dev = open_doca_device("b1:00.0")
    die(rc, "device")
    rc, ep = dcc.doca_comm_channel_ep_create()
    die(rc, "create")
    die(dcc.doca_comm_channel_ep_set_device(ep, dev), "device")
    die(dcc.doca_comm_channel_ep_set_max_msg_size(ep, 512), "size")
    rc, peer = dcc.doca_comm_channel_ep_connect(ep, "jobs")
    die(rc, "connect")
    while (rc := dcc.doca_comm_channel_peer_addr_update_info(peer)) == dcc.DOCA_ERROR_CONNECTION_INPROGRESS:
        time.sleep(0.001)
    die(rc, "connection")

    todo, flying, results = list(JOBS), 0, {}
    while todo or flying:
        if todo and flying < 8:
            job = todo[0]
            if (rc := dcc.doca_comm_channel_ep_sendto(ep, job, len(job), 0, peer)) == dcc.DOCA_SUCCESS:
                del todo[0]
                flying += 1
                continue
            if rc != dcc.DOCA_ERROR_AGAIN:
                die(rc, "send")
        rc, answer, length, _ = dcc.doca_comm_channel_ep_recvfrom(ep, 512, 0)
        if rc == dcc.DOCA_ERROR_AGAIN:
            time.sleep(0.001)
        else:
            die(rc, "receive")
            number, value = answer[:length].split(b"=")
            results[int(number)] = int(value)
            flying -= 1
    print("results", len(results), results[1], results[2])
    die(dcc.doca_comm_channel_ep_sendto(ep, b"done", 4, 0, peer), "done")
    while (answer := dcc.doca_comm_channel_ep_recvfrom(ep, 512, 0))[0] == dcc.DOCA_ERROR_AGAIN:
        time.sleep(0.001)
    print(answer[0] == dcc.DOCA_SUCCESS, answer[1].decode(), answer[2])
    rc = dcc.doca_comm_channel_peer_addr_update_info(peer)
    counts = [get(peer) for get in (dcc.doca_comm_channel_peer_addr_get_send_messages,
                                    dcc.doca_comm_channel_peer_addr_get_recv_messages)]
    print("counts", *(count for rc, count in counts if rc == dcc.DOCA_SUCCESS))
    print("disconnect", dcc.doca_error_get_name(dcc.doca_comm_channel_ep_disconnect(ep, peer)))
    print("destroy", dcc.doca_error_get_name(dcc.doca_comm_channel_ep_destroy(ep)))
    dcc.doca_dev_close(dev)


if __name__ == "__main__":
    sys.exit(main())
