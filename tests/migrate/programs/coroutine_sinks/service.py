from itertools import islice

from doca_comm_channel import *
from pipes import endpoints, prime, sink, source


def representor(dev):
    rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEV_REP_FILTER_NET)
    for rep in reps:
        rc, equal = doca_devinfo_rep_is_equal_pci_addr(rep, "b1:00.0")
        if rc == DOCA_SUCCESS and equal == 1:
            rc, found = doca_dev_rep_open(rep)
            break
    doca_devinfo_rep_destroy_list(reps)
    return found


for ep, dev in endpoints("03:00.0", 1, 200):
    rep = representor(dev)
    doca_comm_channel_ep_set_device_rep(ep, rep)
    rc = doca_comm_channel_ep_listen(ep, "pipeline")
    print("listening", rc == DOCA_SUCCESS, flush=True)
    messages = source(ep, 200)
    first, peer = next(messages)
    out = prime(sink(ep, peer))
    count = int(first)
    squares = (b"%d" % (int(data) ** 2) for data, _ in islice(messages, count))
    for square in squares:
        out.send(square)
    print("squares", count)
    print("end", next(messages)[0])
    out.send(b"end")
    out.close()
    doca_comm_channel_ep_disconnect(ep, peer)
doca_dev_rep_close(rep)
