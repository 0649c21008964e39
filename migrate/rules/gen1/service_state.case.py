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
ep = comch.Server(one_sided=True)
ep.device = dev
ep.device_rep = rep
ep.listen("svc")
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
        counts = [
            peer.get_counter(
                comch.Counter.SENT_MESSAGES
            ) for peer in ep.connections
        ]
first, *_ = [peer.user_data for number, peer in enumerate(peers[1:])]
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
    rc, fd = comch.outcome(comch.Server.service_fd.fget, ep)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    comch.outcome(comch.Server.update_info, ep)
    if comch.outcome(comch.Server.update_info, ep)[0] != comch.ErrorCode.SUCCESS:
        return -1
    while (rc := comch.outcome(comch.Server.update_info, ep)[0]) == comch.ErrorCode.AGAIN:
        pass
    rc, peers, n = comch.outcome_list(comch.Server.connections.fget, ep)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    for i in range(n):
        comch.Server.try_send_to(ep, b"x", peers[i])
    rc, n = comch.outcome(comch.Server.pending.fget, ep)
    comch.outcome_list(comch.Server.connections.fget, ep)
    if comch.outcome_list(comch.Server.connections.fget, ep)[0] == comch.ErrorCode.SUCCESS:
        return comch.outcome_list(
            comch.Server.connections.fget, ep
        )[2] + comch.outcome(comch.Server.pending.fget, ep)[1]
    return n


rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
rc, reps, n = comch.outcome_list(comch.Device.representors, dev, comch.RepFilter.NET)
rc, rep = comch.outcome(reps[0].open)
rc, ep = comch.outcome(comch.Server, one_sided=True)
comch.outcome(comch.Server.configure, ep, device=dev)
comch.outcome(comch.Server.configure, ep, device_rep=rep)
rc = comch.outcome(comch.Server.listen, ep, "svc")[0]
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
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
try:
    ep.update_service_state_info()
except cc.NotSupported:
    # CCM081: an old object is shown as text (python -m migrate explain CCM081)
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
import comch_next as comch


def tell(ep):
    print(ep.pending)


dev = comch.open_device("03:00.0")
ep = comch.Server(one_sided=True)
ep.device = dev
ep.configure(device_rep=dev.open_representor("b1:00.0"))
ep.listen("svc")
tell(ep)
client = comch.Channel(one_sided=True)
client.configure(device=comch.open_device("b1:00.0"))
client.connect("svc", timeout=0)
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
import comch_next as comch

dev = comch.open_device("03:00.0")
ep = comch.Server(one_sided=True)
ep.device = dev
ep.configure(device_rep=dev.open_representor("b1:00.0"))
ep.listen("svc")
known = set()
while True:
    ep.update_info()
    known.update(ep.connections)


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
import comch_next as comch

dev = comch.open_device("03:00.0")
ep = comch.Server(one_sided=True)
ep.device = dev
ep.configure(device_rep=dev.open_representor("b1:00.0"))
ep.listen("svc")
by_number = {}
ep.update_info()
for number, peer in enumerate(ep.connections):
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
import comch_next as comch

dev = comch.open_device("03:00.0")
ep = comch.Server(one_sided=True)
ep.device = dev
ep.configure(device_rep=dev.open_representor("b1:00.0"))
ep.listen("svc")
ep.update_info()
first, second = ep.connections
first.update_info()
peers = ep.connections
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
import comch_next as comch

rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
rc, reps, n = comch.outcome_list(
    comch.Device.representors, dev, comch.RepFilter.NET
)
rc, rep = comch.outcome(reps[0].open)
rc, ep = comch.outcome(comch.Server, one_sided=True)
comch.outcome(comch.Server.configure, ep, device=dev)
comch.outcome(comch.Server.configure, ep, device_rep=rep)
rc = comch.outcome(comch.Server.listen, ep, "svc")[0]
answer = comch.outcome_list(comch.Server.connections.fget, ep)
