"""Two guests of the chat room in one process: a dict of (endpoint, peer), a queue of what to do."""
import queue
import sys
import time

import doca_comm_channel as doca

guests = {}
todo = queue.Queue()


def poll(call):
    """The first result whose code is neither AGAIN nor in progress."""
    end = time.monotonic() + 60
    while True:
        result = call()
        rc = result[0] if isinstance(result, tuple) else result
        if rc not in (doca.DOCA_ERROR_AGAIN, doca.DOCA_ERROR_CONNECTION_INPROGRESS):
            return result
        if time.monotonic() > end:
            raise SystemExit("the room is silent")
        time.sleep(1e-4)


def enter(name, dev):
    rc, ep = doca.doca_comm_channel_ep_create()
    rc = rc or doca.doca_comm_channel_ep_set_device(ep, dev)
    if rc:
        raise SystemExit(doca.doca_error_get_name(rc))
    rc, peer = doca.doca_comm_channel_ep_connect(ep, "peer_tables")
    if rc == doca.DOCA_SUCCESS:
        rc = poll(lambda: doca.doca_comm_channel_peer_addr_update_info(peer))
    if rc == doca.DOCA_SUCCESS:
        guests[name] = ep, peer
    return rc


def say(name, text):
    ep, peer = guests[name]
    data = text.encode()
    return poll(lambda: doca.doca_comm_channel_ep_sendto(ep, data, len(data), doca.DOCA_CC_MSG_FLAG_NONE, peer))


def hear(name):
    rc, data, size, sender = poll(lambda: doca.doca_comm_channel_ep_recvfrom(guests[name][0], 4080, 0))
    print(name, "hears", data.decode() if rc == doca.DOCA_SUCCESS else rc)
    assert sender is guests[name][1]


def main():
    dev = doca.open_device("b1:00.0")
    codes = [enter(name, dev) for name in ("ann", "bob")]
    print([doca.doca_error_get_name(rc) for rc in codes])
    for job in (
        (say, "ann", "join hall ann"), (hear, "ann"),
        (say, "bob", "join hall bob"), (hear, "bob"),
        (say, "ann", "say hall hello bob"), (hear, "bob"),
        (say, "bob", "say hall hello ann"), (hear, "ann"),
        (say, "bob", "leave hall bob"), (hear, "bob"),
        (say, "ann", "leave hall ann"), (hear, "ann"),
    ):
        todo.put(job)
    while not todo.empty():
        call, *arguments = todo.get()
        if call(*arguments):
            return 2
    while guests:
        name, (ep, peer) = guests.popitem()
        rc = doca.doca_comm_channel_ep_disconnect(ep, peer)
        print(name, "left:", doca.doca_error_get_name(rc), doca.doca_comm_channel_ep_destroy(ep) == doca.DOCA_SUCCESS)
    dev.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
