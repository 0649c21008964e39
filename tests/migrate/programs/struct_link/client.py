"""The struct of the C program as a bare class whose fields are filled by the way."""
import sys
import time
import types

import doca_comm_channel as cc


class State:
    pass


def open_channel(st):
    st.dev = cc.open_device(st.pci)
    rc, st.ep = cc.doca_comm_channel_ep_create()
    if rc != cc.DOCA_SUCCESS:
        return rc
    rc = cc.doca_comm_channel_ep_set_device(st.ep, st.dev)
    if rc != cc.DOCA_SUCCESS:
        return rc
    rc = cc.doca_comm_channel_ep_set_max_msg_size(st.ep, st.limits.size)
    if rc != cc.DOCA_SUCCESS:
        return rc
    rc, st.limits.actual = cc.doca_comm_channel_ep_get_max_msg_size(st.ep)
    if rc != cc.DOCA_SUCCESS:
        return rc
    rc, st.peer = cc.doca_comm_channel_ep_connect(st.ep, "struct_link")
    return rc


def connected(st):
    end = time.time() + 60
    st.rc = cc.doca_comm_channel_peer_addr_update_info(st.peer)
    while st.rc == cc.DOCA_ERROR_CONNECTION_INPROGRESS and time.time() < end:
        time.sleep(1e-4)
        st.rc = cc.doca_comm_channel_peer_addr_update_info(st.peer)
    return st.rc == cc.DOCA_SUCCESS


def say(st, word):
    end = time.time() + 60
    while time.time() < end:
        st.rc = cc.doca_comm_channel_ep_sendto(st.ep, word, len(word), cc.DOCA_CC_MSG_FLAG_NONE, st.peer)
        if st.rc != cc.DOCA_ERROR_AGAIN:
            break
    st.count += st.rc == cc.DOCA_SUCCESS


def hear(st):
    end = time.time() + 60
    while time.time() < end:
        st.rc, st.msg, st.length, _ = cc.doca_comm_channel_ep_recvfrom(st.ep, st.limits.actual, 0)
        if st.rc != cc.DOCA_ERROR_AGAIN:
            break
        time.sleep(1e-4)
    return st.msg


def main():
    st = State()
    st.pci = "b1:00.0"
    st.count = 0
    st.peer = None
    st.limits = types.SimpleNamespace(size=100, actual=0)
    rc = open_channel(st)
    if rc != cc.DOCA_SUCCESS or not connected(st):
        print("no connection:", cc.doca_error_get_name(rc))
        return 1
    for word in b"a channel is a pair of queues .".split():
        say(st, word)
    print("said", st.count, "words, limit", st.limits.actual)
    print("heard", hear(st), st.length)
    say(st, b"thanks")
    cc.doca_comm_channel_ep_disconnect(st.ep, st.peer)
    cc.doca_comm_channel_ep_destroy(st.ep)
    st.dev.close()
    return st.rc


if __name__ == "__main__":
    sys.exit(main())
