# case: nothing of ours
limit = module.get_max_message_size(device)


# case: objects
import doca_comm_channel as cc

for info in cc.devices():
    print(cc.get_max_message_size(info), cc.get_service_max_num_connections(info))
    print(cc.get_max_send_queue_size(info), cc.get_max_recv_queue_size(info))
    print(info.rep_cap_is_filter_net_supported())
print(cc.get_max_service_name_len())

# output
import comch_next as comch

for info in comch.devices():
    print(info.cap_get_max_msg_size(), info.max_clients_of_service())
    print(info.cap_get_max_send_tasks(), info.cap_get_max_recv_queue_size())
    print(info.rep_cap_is_filter_net_supported())
print(min((info.cap_get_max_name_len() for info in comch.devices()), default=128))


# case: flat
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, size = doca_comm_channel_get_max_message_size(devs[0])
rc, queue = doca_comm_channel_get_max_rcv_queue_size(devs[0])
rc, length = doca_comm_channel_get_max_service_name_len()
rc, able = doca_devinfo_rep_get_is_list_net_supported(devs[0])

# output
import comch_next as comch

rc, devs, n = comch.outcome_list(comch.devices)
rc, size = comch.outcome(devs[0].cap_get_max_msg_size)
rc, queue = comch.outcome(devs[0].cap_get_max_recv_queue_size)
rc, length = comch.outcome(
    lambda: min(
        (info.cap_get_max_name_len() for info in comch.devices()), default=128
    )
)
rc, able = comch.outcome(
    lambda devinfo: int(devinfo.rep_cap_is_filter_net_supported()), devs[0]
)


# case: a name of Python's own that the program has for itself
import doca_comm_channel as cc


def clipped(name, min=8):
    longest = cc.get_max_service_name_len()
    return name[: longest if longest > min else min]


print(clipped("service"))

# output
import comch_next as comch


def clipped(name, min=8):
    longest = [
        *sorted((info.cap_get_max_name_len() for info in comch.devices())), 128
    ][0]
    return name[: longest if longest > min else min]


print(clipped("service"))
