# case: a list of that name somewhere else
def crowd(server):
    server.update_info()
    return len(server.connections), server.pending


# case: objects: a service that sleeps in its descriptor
import select

import doca_comm_channel as cc

dev = cc.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(rep)
ep.listen("svc")
fd = ep.get_service_event_channel()
with select.epoll() as poller:
    poller.register(fd, select.EPOLLIN)
    while True:
        poller.poll()
        try:
            ep.update_service_state_info()
        except cc.ConnectionReset:
            break
        peers = ep.get_peer_addr_list()
        print(len(peers), ep.get_pending_connections())
        for peer in peers:
            peer.update_info()
            print(peer.get_recv_messages())
        if peers:
            ep.disconnect(peers[0])
        counts = [peer.get_send_messages() for peer in ep.get_peer_addr_list()]
first, *_ = [peer.get_user_data() for number, peer in enumerate(peers[1:])]
ep.destroy()

# output
import select

import comch_next as comch

dev = comch.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
ep = comch.Server(dev, rep, "svc")
ep.listen()
fd = ep.service_fd
with select.epoll() as poller:
    poller.register(fd, select.EPOLLIN)
    while True:
        poller.poll()
        try:
            ep.update_info()
        except comch.ConnectionReset:
            break
        peers = ep.connections
        print(len(peers), ep.pending)
        for peer in peers:
            peer.update_info()
            print(peer.get_counter(comch.Counter.RECV_MESSAGES))
        if peers:
            ep.disconnect(peers[0])
        counts = [peer.get_counter(comch.Counter.SENT_MESSAGES) for peer in ep.connections]
first, *_ = [(peer.user_data or 0) for number, peer in enumerate(peers[1:])]
ep.close()


# case: flat: results checked, ignored, and taken by their index
from doca_comm_channel import *


def watch(ep):
    rc, fd = doca_comm_channel_ep_get_service_event_channel(ep)
    if rc != DOCA_SUCCESS:
        return rc
    doca_comm_channel_ep_update_service_state_info(ep)
    if doca_comm_channel_ep_update_service_state_info(ep) != DOCA_SUCCESS:
        return -1
    while (rc := doca_comm_channel_ep_update_service_state_info(ep)) == DOCA_ERROR_AGAIN:
        pass
    rc, peers, n = doca_comm_channel_ep_get_peer_addr_list(ep)
    if rc != DOCA_SUCCESS:
        return rc
    for i in range(n):
        doca_comm_channel_ep_sendto(ep, b"x", 1, 0, peers[i])
    rc, n = doca_comm_channel_ep_get_pending_connecti(ep)
    doca_comm_channel_ep_get_peer_addr_list(ep)
    if doca_comm_channel_ep_get_peer_addr_list(ep)[0] == DOCA_SUCCESS:
        return doca_comm_channel_ep_get_peer_addr_list(ep)[2] + doca_comm_channel_ep_get_pending_connections(ep)[1]
    return n


rc, devs, n = doca_devinfo_list_create()
rc, dev = doca_dev_open(devs[0])
rc, reps, n = doca_devinfo_rep_list_create(dev, DOCA_DEVINFO_REP_FILTER_NET)
rc, rep = doca_dev_rep_open(reps[0])
rc, ep = doca_comm_channel_ep_create()
doca_comm_channel_ep_set_device(ep, dev)
doca_comm_channel_ep_set_device_rep(ep, rep)
rc = doca_comm_channel_ep_listen(ep, "svc")
watch(ep)

# output
import comch_next as comch


def watch(ep):
    rc, fd = comch.outcome(getattr, ep, "service_fd")
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    comch.outcome(ep.update_info)
    if comch.outcome(ep.update_info)[0] != comch.ErrorCode.SUCCESS:
        return -1
    while (rc := comch.outcome(ep.update_info)[0]) == comch.ErrorCode.AGAIN:
        pass
    rc, peers = comch.outcome(getattr, ep, "connections")
    n = len(peers or ())
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    for i in range(n):
        comch.outcome(peers[i].send, b"x", timeout=0)
    rc, n = comch.outcome(getattr, ep, "pending")
    comch.outcome(getattr, ep, "connections")
    if comch.outcome(getattr, ep, "connections")[0] == comch.ErrorCode.SUCCESS:
        return len(comch.outcome(getattr, ep, "connections")[1] or ()) + comch.outcome(getattr, ep, "pending")[1]
    return n


rc, devs = comch.outcome(comch.devices)
n = len(devs or ())
rc, dev = comch.outcome(devs[0].open)
rc, reps = comch.outcome(dev.representors, comch.RepFilter.NET)
n = len(reps or ())
rc, rep = comch.outcome(reps[0].open)
rc, ep = comch.outcome(comch.Server, dev, rep, "svc")
if rc == comch.ErrorCode.SUCCESS:
    rc = comch.outcome(ep.listen)[0]
watch(ep)


# case: asked of a client
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
try:
    ep.update_service_state_info()
except cc.NotSupported:
    print(ep.get_peer_addr_list())

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
peer = ep.connect("svc")
try:
    # CCM021: the state of a service is asked of a client (python -m migrate explain CCM021)
    ep.update_service_state_info()
# CCM003: stays with the old code around it (python -m migrate explain CCM003)
except cc.NotSupported:
    # CCM033: a handle is handed to code that this tool cannot follow (python -m migrate explain CCM033)
    print(ep.get_peer_addr_list())


# case: one function for both roles
import doca_comm_channel as cc


def tell(ep):
    print(ep.get_pending_connections())


dev = cc.open_device("03:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(dev.open_representor("b1:00.0"))
ep.listen("svc")
tell(ep)
client = cc.Endpoint()
client.set_device(cc.open_device("b1:00.0"))
client.connect("svc")
tell(client)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def tell(ep):
    # CCM047: the role of the endpoint in this function is not one (python -m migrate explain CCM047)
    print(ep.get_pending_connections())


# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("03:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device_rep(dev.open_representor("b1:00.0"))
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.listen("svc")
tell(ep)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
client = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
client.set_device(cc.open_device("b1:00.0"))
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
client.connect("svc")
tell(client)


# case: a list that escapes
import doca_comm_channel as cc

dev = cc.open_device("03:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(dev.open_representor("b1:00.0"))
ep.listen("svc")
known = set()
while True:
    ep.update_service_state_info()
    known.update(ep.get_peer_addr_list())

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("03:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device_rep(dev.open_representor("b1:00.0"))
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.listen("svc")
known = set()
while True:
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.update_service_state_info()
    # CCM033: a handle is handed to code that this tool cannot follow (python -m migrate explain CCM033)
    known.update(ep.get_peer_addr_list())


# case: a peer of the list that escapes
import doca_comm_channel as cc

dev = cc.open_device("03:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(dev.open_representor("b1:00.0"))
ep.listen("svc")
by_number = {}
ep.update_service_state_info()
for number, peer in enumerate(ep.get_peer_addr_list()):
    by_number[number] = peer

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("03:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device_rep(dev.open_representor("b1:00.0"))
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.listen("svc")
by_number = {}
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.update_service_state_info()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
for number, peer in enumerate(ep.get_peer_addr_list()):
    # CCM032: a handle is kept in a container (python -m migrate explain CCM032)
    by_number[number] = peer


# case: a list that is changed, and one taken apart
import doca_comm_channel as cc

dev = cc.open_device("03:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(dev.open_representor("b1:00.0"))
ep.listen("svc")
ep.update_service_state_info()
first, second = ep.get_peer_addr_list()
first.update_info()
peers = ep.get_peer_addr_list()
peers.remove(first)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("03:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device_rep(dev.open_representor("b1:00.0"))
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.listen("svc")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.update_service_state_info()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
first, second = ep.get_peer_addr_list()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
first.update_info()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
peers = ep.get_peer_addr_list()
# CCM033: a handle is handed to code that this tool cannot follow (python -m migrate explain CCM033)
peers.remove(first)


# case: flat: results as one tuple
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
rc, rep = doca_dev_rep_open(reps[0])
rc, ep = doca_comm_channel_ep_create()
doca_comm_channel_ep_set_device(ep, dev)
doca_comm_channel_ep_set_device_rep(ep, rep)
rc = doca_comm_channel_ep_listen(ep, "svc")
answer = doca_comm_channel_ep_get_peer_addr_list(ep)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
from doca_comm_channel import *

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, devs, n = doca_devinfo_create_list()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, dev = doca_dev_open(devs[0])
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, rep = doca_dev_rep_open(reps[0])
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, ep = doca_comm_channel_ep_create()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
doca_comm_channel_ep_set_device(ep, dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
doca_comm_channel_ep_set_device_rep(ep, rep)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc = doca_comm_channel_ep_listen(ep, "svc")
# CCM041: several results are used as one tuple (python -m migrate explain CCM041)
answer = doca_comm_channel_ep_get_peer_addr_list(ep)
