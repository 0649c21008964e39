"""A calculator on the DPU: what comes is matched, and so are the codes."""
import sys
import time

import doca_comm_channel as cc
from codes import Status, Verdict, verdict


def setup():
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    match cc.doca_comm_channel_ep_create():
        case (cc.DOCA_SUCCESS, ep):
            pass
        case (rc, _):
            sys.exit(cc.doca_error_get_name(rc))
    steps = [
        ("listen too early", cc.doca_comm_channel_ep_listen(ep, "calc")),
        ("device", cc.doca_comm_channel_ep_set_device(ep, dev)),
        ("representor", cc.doca_comm_channel_ep_set_device_rep(ep, rep)),
        ("size 0", cc.doca_comm_channel_ep_set_max_msg_size(ep, 0)),
        ("size", cc.doca_comm_channel_ep_set_max_msg_size(ep, 100)),
        ("listen", cc.doca_comm_channel_ep_listen(ep, "calc")),
        ("too late", cc.doca_comm_channel_ep_set_max_msg_size(ep, 200)),
    ]
    for what, rc in steps:
        match rc:
            case cc.DOCA_SUCCESS:
                continue
            case cc.DOCA_ERROR_BAD_STATE | cc.DOCA_ERROR_INVALID_VALUE:
                print(what, cc.doca_error_get_name(rc), Status(rc).name)
            case other:
                sys.exit("%s: %d" % (what, other))
    return dev, rep, ep


def calculate(text):
    match text.split():
        case ["add", *numbers]:
            return str(sum(map(int, numbers)))
        case ["neg", number]:
            return str(-int(number))
        case ["bye" | "quit"]:
            return None
        case [word, *_]:
            return "no " + word
    return "nothing"


def serve(ep):
    while True:
        match cc.doca_comm_channel_ep_recvfrom(ep, 100, cc.DOCA_CC_MSG_FLAG_NONE):
            case (cc.DOCA_ERROR_AGAIN, *_):
                time.sleep(0.001)
            case (cc.DOCA_SUCCESS, bytes(msg), length, peer):
                answer = calculate(msg[:length].decode())
                if answer is None:
                    return peer
                rc = cc.doca_comm_channel_ep_sendto(ep, answer.encode(), len(answer), cc.DOCA_CC_MSG_FLAG_NONE, peer)
                if rc != Status.OK:
                    print("answer", Status(rc))
            case (cc.DOCA_ERROR_INVALID_VALUE, None, int(needed), _):
                print("a message of", needed)
                match cc.doca_comm_channel_ep_recvfrom(ep, needed, cc.DOCA_CC_MSG_FLAG_NONE):
                    case (cc.DOCA_SUCCESS, msg, length, peer) if length == needed:
                        print("taken", msg[:3], verdict(cc.doca_comm_channel_ep_sendto(ep, b"long", 4, 0, peer)).value)
                    case (rc, *_):
                        print("not taken", Status(rc))
            case (rc, *rest):
                sys.exit("%s %s" % (Status(rc), rest))


def main():
    dev, rep, ep = setup()
    print("listening", flush=True)
    peer = serve(ep)
    goodbye = b"goodbye"
    print("last", str(Status(cc.doca_comm_channel_ep_sendto(ep, goodbye, len(goodbye), 0, peer))))
    while not Verdict.LEAVE & verdict(rc := cc.doca_comm_channel_ep_sendto(ep, b"?", 1, 0, peer)):
        time.sleep(0.001)
    print("lost", Status(rc).name, verdict(rc).value, verdict(cc.doca_comm_channel_peer_addr_update_info(peer)).value)
    print("no peer", Status(cc.doca_comm_channel_ep_sendto(ep, b"?", 1, 0, None)).name)
    for rc in (
        cc.doca_comm_channel_ep_disconnect(ep, peer),
        cc.doca_comm_channel_ep_disconnect(ep, peer),
        cc.doca_comm_channel_ep_destroy(ep),
        cc.doca_dev_rep_close(rep),
        cc.doca_dev_close(dev),
    ):
        print(cc.doca_error_get_name(rc), end=" ")
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
