# case: functions of another module
cap_get_max_msg_size(info)


# case: numbers, and what is supported
import doca_cc as cc

info = cc.open_device("03:00.0").as_devinfo()
cc.cap_server_is_supported(info)
try:
    cc.cap_is_producer_supported(info)
except cc.NotSupported:
    print("no producers")
print(cc.cap_get_max_msg_size(info), cc.consumer_cap_get_max_consumers(info))
print(2 * cc.producer_cap_get_max_log_num_tasks(info))
print(cc.mmap_cap_is_export_pci_supported(info))

# output
import comch_next as comch

info = comch.open_device("03:00.0").devinfo
info.require("server")
try:
    info.require("producer")
except comch.NotSupported:
    print("no producers")
print(info.cap_get_max_msg_size(), info.consumer_cap_get_max_consumers())
print(2 * (info.producer_cap_get_max_num_tasks().bit_length() - 1))
print(info.mmap_cap_is_export_pci_supported())


# case: flat
from doca_cc import *

info = doca_dev_as_devinfo(open_device("03:00.0"))
if doca_cc_cap_client_is_supported(info) == DOCA_ERROR_NOT_SUPPORTED:
    print("no clients")
rc, size = doca_cc_cap_get_max_msg_size(info)
rc, log = doca_cc_consumer_cap_get_max_log_num_tasks(info)
rc, importing = doca_mmap_cap_is_create_from_export_pci_supported(info)

# output
import comch_next as comch

info = comch.open_device("03:00.0").devinfo
if comch.outcome(info.require, "client")[0] == comch.ErrorCode.NOT_SUPPORTED:
    print("no clients")
rc, size = comch.outcome(info.cap_get_max_msg_size)
rc, log = comch.outcome(
    lambda: info.consumer_cap_get_max_num_tasks().bit_length() - 1
)
rc, importing = comch.outcome(
    lambda: int(info.mmap_cap_is_create_from_export_pci_supported())
)


# case: capabilities by keyword
import doca_cc as cc

info = cc.devices()[0]
size = cc.cap_get_max_msg_size
print(cc.cap_get_max_name_len(devinfo=info), size(devinfo=info))

# output
import comch_next as comch

info = comch.devices()[0]
size = lambda devinfo: devinfo.cap_get_max_msg_size()
print(info.cap_get_max_name_len(), size(devinfo=info))


# case: a handle in a call whose arguments cannot be sorted
import doca_cc as cc

info = cc.devices()[0]
print(cc.cap_get_max_name_len(info=info))

# output
import doca_cc as cc

info = cc.devices()[0]
# CCM038: the arguments of the call cannot be sorted (python -m migrate explain CCM038)
print(cc.cap_get_max_name_len(info=info))
