# case: a peer of another kind
peer = lookup("svc")
peer.update_info()


# case: counters and user data
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
peer.set_user_data(7)
peer.update_info()
while peer.get_send_in_flight_messages():
    peer.update_info()
print(peer.get_user_data() + 1, peer.get_send_messages(), peer.get_recv_bytes())
first = peer.set_user_data(8) or peer

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
peer.user_data = 7
peer.update_info()
while peer.in_flight:
    peer.update_info()
print(
    peer.user_data + 1,
    peer.get_counter(comch.Counter.SENT_MESSAGES),
    peer.get_counter(comch.Counter.RECV_BYTES),
)
first = setattr(peer, "user_data", 8) or peer


# case: flat, with older and misspelled names
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
rc, ep = doca_comm_channel_ep_create()
rc = doca_comm_channel_ep_set_device(ep, dev)
rc, peer = doca_comm_channel_ep_connect(ep, "svc")
rc = doca_comm_channel_peer_addr_user_data_set(peer, 7)
doca_comm_channel_peer_addr_set_user_data(peer, 8)
rc, data = doca_comm_channel_peer_addr_user_data_get(peer)
rc, got = doca_comm_channel_peer_addr_get_rcv_messages(peer)
if (rc := doca_comm_channel_peer_addr_update_info(peer)) != DOCA_SUCCESS:
    print(f"{doca_error_get_name(rc):>30}")

# output
import comch_next as comch

rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
rc, ep = comch.outcome(comch.Client, one_sided=True)
rc = comch.outcome(comch.Client.configure, ep, device=dev)[0]
rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
rc = comch.outcome(comch.Connection.user_data.fset, peer, 7)[0]
comch.outcome(comch.Connection.user_data.fset, peer, 8)
rc, data = comch.outcome(comch.Connection.user_data.fget, peer)
rc, got = comch.outcome(
    comch.Connection.get_counter, peer, comch.Counter.RECV_MESSAGES
)
if (
    rc := comch.outcome(comch.Connection.update_info, peer)[0]
) != comch.ErrorCode.SUCCESS:
    print(f"{comch.code_name(rc):>30}")


# case: kept in an attribute of something
import doca_comm_channel as cc


def watch(args):
    args.peer.update_info()
    return args.peer.get_send_messages()

# output
import doca_comm_channel as cc


def watch(args):
    args.peer.update_info()
    # CCM034: migrate cannot see where this handle comes from (python -m migrate explain CCM034)
    return args.peer.get_send_messages()


# case: user data set in an expression
import doca_comm_channel as cc

ep = cc.Endpoint()
ep.set_device(cc.open_device("b1:00.0"))
peer = ep.connect("svc")
ids = iter(range(9))
peer.set_user_data(7)
peer.set_user_data(next(ids))
set_all = [peer.set_user_data(n) for n in (1, 2)]

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
ep.configure(device=comch.open_device("b1:00.0"))
peer = ep.connect("svc", timeout=0)
ids = iter(range(9))
peer.user_data = 7
setattr(peer, "user_data", next(ids))
set_all = [setattr(peer, "user_data", n) for n in (1, 2)]


# case: user data of a peer that another expression reaches and that may be None
import doca_comm_channel as cc

ep = cc.Endpoint()
ep.set_device(cc.open_device("b1:00.0"))
state = {"peer": None}
state["peer"] = ep.connect("svc")
state["peer"].set_user_data(7)

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
ep.configure(device=comch.open_device("b1:00.0"))
state = {"peer": None}
state["peer"] = ep.connect("svc", timeout=0)
setattr(state["peer"], "user_data", 7)


# case: flat: counters of a peer that may be None
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
rc, msg, n, peer = doca_comm_channel_ep_recvfrom(ep, 64, 0)
rc = doca_comm_channel_peer_addr_update_info(peer)
rc, sent = doca_comm_channel_peer_addr_get_send_messages(peer)
rc, flying = doca_comm_channel_peer_addr_get_send_in_flight_messages(peer)
rc, number = doca_comm_channel_peer_addr_get_user_data(peer)
rc = doca_comm_channel_peer_addr_set_user_data(peer, number)

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Channel, one_sided=True)
rc, msg, n, peer = comch.Channel.try_receive(ep, 64)
rc = comch.outcome(comch.Connection.update_info, peer)[0]
rc, sent = comch.outcome(
    comch.Connection.get_counter, peer, comch.Counter.SENT_MESSAGES
)
rc, flying = comch.outcome(comch.Connection.in_flight.fget, peer)
rc, number = comch.outcome(comch.Connection.user_data.fget, peer)
rc = comch.outcome(comch.Connection.user_data.fset, peer, number)[0]
