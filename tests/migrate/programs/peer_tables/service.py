"""A chat room: peers by name in a dict, what to send in a deque, numbers of peers from their user data."""
import collections
import itertools
import sys
import time

from doca_comm_channel import *

rooms = collections.defaultdict(list)
members = {}
outbox = collections.deque()
serial = itertools.count(1)
deadline = time.time() + 60


def recv(ep):
    while time.time() < deadline:
        rc, msg, size, peer = doca_comm_channel_ep_recvfrom(ep, 4080, DOCA_CC_MSG_FLAG_NONE)
        if rc != DOCA_ERROR_AGAIN:
            return rc, msg, peer
        flush(ep)
        time.sleep(1e-4)
    return DOCA_ERROR_TIME_OUT, None, None


def flush(ep):
    for _ in range(len(outbox)):
        peer, msg = outbox.popleft()
        rc = doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)
        if rc == DOCA_ERROR_AGAIN:
            outbox.append((peer, msg))
        elif rc != DOCA_SUCCESS:
            print("to", who(peer), doca_error_get_name(rc))


def who(peer):
    rc, number = doca_comm_channel_peer_addr_get_user_data(peer)
    return "guest %d" % number if rc == DOCA_SUCCESS else "?"


def join(peer, name, room):
    if who(peer) == "guest 0":
        rc = doca_comm_channel_peer_addr_set_user_data(peer, next(serial))
        assert rc == DOCA_SUCCESS
    members[name] = peer
    rooms[room].append(name)
    print(who(peer), "is", name, "in", room)
    outbox.append((peer, b"welcome %d" % len(rooms[room])))


def tell(room, sender, text):
    for name in rooms[room]:
        if members[name] is not sender:
            outbox.append((members[name], text.encode()))


def leave(ep, name, room):
    rooms[room].remove(name)
    peer = members.pop(name)
    outbox.append((peer, b"bye"))
    flush(ep)
    print(name, "left,", len(members), "remain")


def main():
    dev = open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    handles = {}
    rc, handles["ep"] = doca_comm_channel_ep_create()
    rc = rc or doca_comm_channel_ep_set_device(handles["ep"], dev)
    rc = rc or doca_comm_channel_ep_set_device_rep(handles["ep"], rep)
    rc = rc or doca_comm_channel_ep_listen(handles["ep"], "peer_tables")
    if rc:
        print(doca_error_get_name(rc))
        return 1
    print("listening")
    joined = 0
    while not joined or members:
        rc, msg, peer = recv(handles["ep"])
        if rc != DOCA_SUCCESS:
            print("room closed by", doca_error_get_name(rc))
            break
        verb, room, rest = msg.decode().split(" ", 2)
        if verb == "join":
            joined += 1
            join(peer, rest, room)
        elif verb == "leave":
            leave(handles["ep"], rest, room)
        else:
            print(who(peer), "says", rest)
            tell(room, peer, rest)
    rc = doca_comm_channel_ep_destroy(handles.pop("ep"))
    rep.close()
    dev.close()
    print("closed", doca_error_get_name(rc), handles)
    return rc


if __name__ == "__main__":
    sys.exit(main())
