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
