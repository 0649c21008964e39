"""A state machine by match; the device side of a small printer protocol. Codes, flat calls."""
import sys
import time

from doca_comm_channel import *
import doca_comm_channel as cc


def step(state, message):
    match state, message.split():
        case "idle", [b"open", title]:
            return "open", b"ok " + title
        case "open", [b"line", *words]:
            return "open", b"%d words" % len(words)
        case "open", [b"close"]:
            return "idle", b"ok"
        case _, [b"off"]:
            return "off", b"ok"
        case _:
            return state, b"error in " + state.encode()


def receive(ep):
    spins = 0
    while (got := doca_comm_channel_ep_recvfrom(ep, 256, DOCA_CC_MSG_FLAG_NONE))[0] == DOCA_ERROR_AGAIN:
        spins += 1
        if spins > 100000:
            return DOCA_ERROR_TIME_OUT, None, 0, None
        time.sleep(1e-4)
    return got


def main():
    dev = open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    match doca_comm_channel_ep_create():
        case 0, ep:
            pass
        case rc, _:
            print("create", doca_error_get_name(rc))
            return 1
    doca_comm_channel_ep_set_device(ep, dev)
    doca_comm_channel_ep_set_device_rep(ep, rep)
    match doca_comm_channel_ep_listen(ep, "match_machine"):
        case cc.DOCA_SUCCESS:
            print("listening")
        case cc.DOCA_ERROR_CONNECTION_ABORTED:
            print("name is taken")
            return 1
        case rc:
            print("listen", doca_error_get_name(rc))
            return 1

    state = "idle"
    while state != "off":
        match receive(ep):
            case [cc.DOCA_SUCCESS, message, length, peer]:
                state, answer = step(state, message[:length])
                print(message.decode(), "->", state)
            case [cc.DOCA_ERROR_CONNECTION_RESET, _, _, peer] if peer is not None:
                print("client lost")
                doca_comm_channel_ep_disconnect(ep, peer)
                continue
            case [rc, *_]:
                print("receive", doca_error_get_name(rc))
                return 2
        if (rc := doca_comm_channel_ep_sendto(ep, answer, len(answer), DOCA_CC_MSG_FLAG_NONE, peer)) != DOCA_SUCCESS:
            print("send", doca_error_get_name(rc))
    rc = doca_comm_channel_ep_destroy(ep)
    rep.close()
    dev.close()
    return rc


if __name__ == "__main__":
    sys.exit(main())
