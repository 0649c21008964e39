# case: devices of another library
import usb

for dev in usb.devices():
    dev.open().close()


# case: objects
import doca_comm_channel as cc

for info in cc.devices():
    print(info.get_pci_addr_str(), info.get_ibdev_name())
    if info.is_equal_pci_addr("03:00.0"):
        with info.open() as dev:
            for found in dev.representors():
                print(found.get_vuid(), found.get_is_hotplug())
            rep = dev.open_representor("b1:00.0")
            print(rep.as_devinfo().get_pci_addr_str(), dev.as_devinfo().get_iface_name())
            rep.close()

# output
import comch_next as comch

for info in comch.devices():
    print(info.pci_addr_str, info.ibdev_name)
    if info.is_equal_pci_addr("03:00.0"):
        with info.open() as dev:
            for found in dev.representors():
                print(found.vuid, found.is_hotplug)
            rep = dev.open_representor("b1:00.0")
            print(rep.devinfo_rep.pci_addr_str, dev.devinfo.iface_name)
            rep.close()


# case: flat, older names, several places
from doca_comm_channel import *


def find(pci_addr):
    rc, devs, n = doca_devinfo_list_create()
    try:
        for i, info in enumerate(devs):
            rc, same = doca_devinfo_get_is_pci_addr_equal(info, pci_addr)
            if rc == DOCA_SUCCESS and same:
                rc, text = doca_devinfo_get_pci_addr_str(info)
                return doca_dev_open(info)
    finally:
        doca_devinfo_list_destroy(devs)
    return DOCA_ERROR_NOT_FOUND, None


rc, dev = find("03:00.0")
rc, reps, _ = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL)
rc, kind = doca_devinfo_rep_get_pci_func_type(reps[0])
if kind == DOCA_PCI_FUNC_TYPE_VF:
    rc = doca_devinfo_rep_destroy_list(reps)
info = doca_dev_as_devinfo(dev)
doca_dev_close(dev)

# output
import comch_next as comch


def find(pci_addr):
    rc, devs = comch.outcome(comch.devices)
    n = len(devs or ())
    try:
        for i, info in enumerate(devs):
            rc, same = comch.outcome(info.is_equal_pci_addr, pci_addr)
            if rc == comch.ErrorCode.SUCCESS and same:
                rc, text = comch.outcome(getattr, info, "pci_addr_str")
                return comch.outcome(info.open)
    finally:
        pass
    return comch.ErrorCode.NOT_FOUND, None


rc, dev = find("03:00.0")
rc, reps = comch.outcome(dev.representors, comch.RepFilter.ALL)
rc, kind = comch.outcome(getattr, reps[0], "pci_func_type")
if kind == comch.PciFuncType.VF:
    rc = comch.ErrorCode.SUCCESS
info = dev.devinfo
comch.outcome(dev.close)


# case: flat, the list as one tuple
from doca_comm_channel import *

found = doca_devinfo_create_list()

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
from doca_comm_channel import *

# CCM041: several results are used as one tuple (python -m migrate explain CCM041)
found = doca_devinfo_create_list()


# case: a list that stays keeps what comes out of it
from doca_comm_channel import *


def find(fresh):
    if fresh: rc, devs, n = doca_devinfo_create_list()
    for i, info in enumerate(devs):
        rc, text = doca_devinfo_get_pci_addr_str(info)
        print(text)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
from doca_comm_channel import *


def find(fresh):
    # CCM042: the call shares its line with other statements (python -m migrate explain CCM042)
    if fresh: rc, devs, n = doca_devinfo_create_list()
    for i, info in enumerate(devs):
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        rc, text = doca_devinfo_get_pci_addr_str(info)
        print(text)


# case: calls without counterpart
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, mac = doca_devinfo_get_mac_addr(devs[0], 6)
rc, bdf = doca_devinfo_get_pci_addr(devs[0])

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
from doca_comm_channel import *

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, devs, n = doca_devinfo_create_list()
# CCM022: no counterpart in comch_next (python -m migrate explain CCM022)
rc, mac = doca_devinfo_get_mac_addr(devs[0], 6)
# CCM022: no counterpart in comch_next (python -m migrate explain CCM022)
rc, bdf = doca_devinfo_get_pci_addr(devs[0])
