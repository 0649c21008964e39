"""A state machine with match, walrus and an enum, flat through a module alias."""
import enum
import sys
import time

import doca_comm_channel as dcc

SIZE = 1024


class Step(enum.Enum):
    HELLO = enum.auto()
    DATA = enum.auto()
    BYE = enum.auto()


def poll(ep, deadline):
    while time.monotonic() < deadline:
        rc, data, length, who = dcc.doca_comm_channel_ep_recvfrom(ep, SIZE, dcc.DOCA_CC_MSG_FLAG_NONE)
        match rc:
            case dcc.DOCA_SUCCESS:
                return data, who
            case dcc.DOCA_ERROR_AGAIN:
                continue
            case dcc.DOCA_ERROR_CONNECTION_RESET | dcc.DOCA_ERROR_NOT_CONNECTED:
                return None, who
            case other:
                sys.exit(f"receive: {dcc.doca_error_get_name(other)}")
    return b"", None


def serve(ep):
    step = Step.HELLO
    while step is not Step.BYE:
        data, who = poll(ep, time.monotonic() + 5)
        match step, data:
            case Step.HELLO, b"hello":
                step = Step.DATA
            case Step.DATA, b"bye":
                step = Step.BYE
            case _, (None | b""):
                return 1
        while (rc := dcc.doca_comm_channel_ep_sendto(ep, data, len(data), 0, who)) == dcc.DOCA_ERROR_AGAIN:
            pass
        if rc:
            return int(rc)
    return 0


def main(argv):
    rc, infos, count = dcc.doca_devinfo_list_create()
    assert rc == dcc.DOCA_SUCCESS, dcc.doca_get_error_string(rc)
    rc, dev = dcc.doca_dev_open(infos[0])
    assert rc == dcc.DOCA_SUCCESS
    rc, reps, count = dcc.doca_devinfo_rep_list_create(dev, dcc.DOCA_DEV_REP_FILTER_NET)
    rc, rep = dcc.doca_dev_rep_open(reps[0])
    assert rc == dcc.DOCA_SUCCESS
    rc, ep = dcc.doca_comm_channel_ep_create()
    assert dcc.doca_comm_channel_ep_set_device(ep, dev) == dcc.DOCA_SUCCESS
    assert dcc.doca_comm_channel_ep_set_device_rep(ep, rep) == dcc.DOCA_SUCCESS
    assert dcc.doca_comm_channel_ep_set_max_msg_size(ep, SIZE) == dcc.DOCA_SUCCESS
    if (rc := dcc.doca_comm_channel_ep_listen(ep, "fsm")) != dcc.DOCA_SUCCESS:
        print("listen:", dcc.doca_error_get_descr(rc))
        return rc
    status = serve(ep)
    dcc.doca_comm_channel_ep_destroy(ep)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv))
