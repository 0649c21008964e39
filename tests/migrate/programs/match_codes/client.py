"""Questions for the calculator."""
import sys
import time

import doca_comm_channel as cc
from codes import Status, Verdict, verdict

OK = cc.DOCA_SUCCESS


def insist(function, *args):
    """Call until the code is not one to be tried again; the answer as a tuple, whatever the function."""
    while True:
        match function(*args):
            case (rc, *values):
                pass
            case rc:
                values = []
        if Verdict.RETRY not in verdict(rc):
            return Status(rc), *values
        time.sleep(0.001)


def main():
    dev = cc.open_device("b1:00.0")
    _, ep = cc.doca_comm_channel_ep_create()
    match cc.doca_comm_channel_ep_connect(ep, "calc"):
        case (cc.DOCA_ERROR_BAD_STATE, None):
            print("no device yet")
    if cc.doca_comm_channel_ep_set_device(ep, dev) != OK:
        return 1
    match cc.doca_comm_channel_ep_connect(ep, "abacus"), cc.doca_comm_channel_ep_connect(ep, "calc"):
        case (Status.ABORTED, None), (Status.OK, peer):
            print("there is no abacus")
        case failures:
            print(failures)
            return 1
    print(*insist(cc.doca_comm_channel_peer_addr_update_info, peer))
    for question in ("add 1 2 3", "neg 7", "mul 2 2", "x" * 150, "quit"):
        (status,) = insist(cc.doca_comm_channel_ep_sendto, ep, question.encode(), len(question), 0, peer)
        status, answer, length, sender = insist(cc.doca_comm_channel_ep_recvfrom, ep, 4080, 0)
        print(question[:10], "->", status.name, answer.decode(), length, sender is peer)
    status, *_ = insist(cc.doca_comm_channel_ep_sendto, ep, bytes(5000), 5000, 0, peer)
    print(repr(status.name), status.transient)
    print([str(Status(rc)) for rc in (cc.doca_comm_channel_ep_disconnect(ep, peer),
                                      cc.doca_comm_channel_ep_destroy(ep), cc.doca_dev_close(dev))])
    return 0


if __name__ == "__main__":
    sys.exit(main())
