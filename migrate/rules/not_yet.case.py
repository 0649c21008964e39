# case: event channels
import select

import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd)
ep.event_handle_arm_recv()
poller.poll()
print(ep.recvfrom(64))
other = cc.open_device("b1:00.1")
other.close()

# output
import select

import comch_next as comch
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
# CCM020: event channels are not rewritten yet (python -m migrate explain CCM020)
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd)
# CCM020: event channels are not rewritten yet (python -m migrate explain CCM020)
ep.event_handle_arm_recv()
poller.poll()
# CCM033: a handle is handed to code that this tool cannot follow (python -m migrate explain CCM033)
print(ep.recvfrom(64))
other = comch.open_device("b1:00.1")
other.close()


# case: service state, flat
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
rc, rep = doca_dev_rep_open(reps[0])
rc, ep = doca_comm_channel_ep_create()
doca_comm_channel_ep_set_device(ep, dev)
doca_comm_channel_ep_set_device_rep(ep, rep)
rc = doca_comm_channel_ep_listen(ep, "svc")
rc = doca_comm_channel_ep_update_service_state_info(ep)
rc, peers, n = doca_comm_channel_ep_get_peer_addr_list(ep)

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
# CCM021: service state is not rewritten yet (python -m migrate explain CCM021)
rc = doca_comm_channel_ep_update_service_state_info(ep)
# CCM021: service state is not rewritten yet (python -m migrate explain CCM021)
rc, peers, n = doca_comm_channel_ep_get_peer_addr_list(ep)
