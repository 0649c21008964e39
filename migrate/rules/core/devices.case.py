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
    rc, devs, n = comch.outcome_list(comch.devices)
    try:
        for i, info in enumerate(devs):
            rc, same = comch.outcome(
                lambda: int(info.is_equal_pci_addr(pci_addr))
            )
            if rc == comch.ErrorCode.SUCCESS and same:
                rc, text = comch.outcome(lambda: info.pci_addr_str)
                return comch.outcome(info.open)
    finally:
        pass
    return comch.ErrorCode.NOT_FOUND, None


rc, dev = find("03:00.0")
rc, reps, _ = comch.outcome_list(
    comch.Device.representors, dev, comch.RepFilter.ALL
)
rc, kind = comch.outcome(
    lambda devinfo_rep: int(devinfo_rep.pci_func_type), reps[0]
)
if kind == comch.PciFuncType.VF:
    rc = comch.ErrorCode.SUCCESS if reps is not None else comch.ErrorCode.INVALID_VALUE
info = dev.devinfo if dev is not None else None
comch.outcome(comch.Device.close, dev)


# case: flat, what is closed again fails, in C
from doca_comm_channel import *

rc, infos, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(infos[0])
rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL)
rc, rep = doca_dev_rep_open(reps[0])
for _ in range(2):
    print(doca_dev_rep_close(rep))
doca_dev_close(dev)
if doca_dev_close(dev) == DOCA_ERROR_INVALID_VALUE:
    print("twice")

# output
import comch_next as comch

rc, infos, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(infos[0].open)
rc, reps, n = comch.outcome_list(
    comch.Device.representors, dev, comch.RepFilter.ALL
)
rc, rep = comch.outcome(reps[0].open)
for _ in range(2):
    print(comch.outcome(comch.Representor.close, rep, strict=True)[0])
comch.outcome(comch.Device.close, dev)
if comch.outcome(
    comch.Device.close, dev, strict=True
)[0] == comch.ErrorCode.INVALID_VALUE:
    print("twice")


# case: an object is closed twice without harm
from doca_comm_channel import open_device

dev = open_device("03:00.0")
dev.close()
dev.close()

# output
import comch_next as comch

dev = comch.open_device("03:00.0")
dev.close()
dev.close()


# case: flat, the list as one tuple
from doca_comm_channel import *

found = doca_devinfo_create_list()

# output
import comch_next as comch

found = comch.outcome_list(comch.devices)


# case: a list that stays keeps what comes out of it
from doca_comm_channel import *


def find(fresh):
    if fresh: rc, devs, n = doca_devinfo_create_list()
    for i, info in enumerate(devs):
        rc, text = doca_devinfo_get_pci_addr_str(info)
        print(text)

# output
import comch_next as comch


def find(fresh):
    if fresh: rc, devs, n = comch.outcome_list(comch.devices)
    for i, info in enumerate(devs):
        rc, text = comch.outcome(lambda: info.pci_addr_str)
        print(text)


# case: calls without counterpart
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, mac = doca_devinfo_get_mac_addr(devs[0], 6)

# output
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
# CCM022: comch_next has no counterpart (python -m migrate explain CCM022)
rc, mac = doca_devinfo_get_mac_addr(devs[0], 6)


# case: addresses in numbers
import doca_comm_channel as cc
from doca_comm_channel import *

for info in cc.devices():
    print("%02x:%02x.%x" % info.get_pci_addr()[1:])
rc, devs, n = doca_devinfo_create_list()
rc, bdf = doca_devinfo_get_pci_addr(devs[0])
print(bdf.raw & 0xFF)

# output
import comch_next as comch

for info in comch.devices():
    print("%02x:%02x.%x" % info.pci_addr[1:])
rc, devs, n = comch.outcome_list(comch.devices)
rc, bdf = comch.outcome(lambda devinfo: devinfo.pci_addr, devs[0])
print(bdf.raw & 0xFF)


# case: flat: sizes of buffers
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
for info in devs:
    rc, name = doca_devinfo_get_ibdev_name(info, DOCA_DEVINFO_IBDEV_NAME_SIZE)
    rc, name = doca_devinfo_get_iface_name(info, 256)

# output
import comch_next as comch

rc, devs, n = comch.outcome_list(comch.devices)
for info in devs:
    rc, name = comch.outcome(lambda: info.ibdev_name)
    rc, name = comch.outcome(lambda: info.iface_name)


# case: flat: a buffer that may be too small
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, name = doca_devinfo_get_ibdev_name(devs[0], 8)

# output
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
# CCM072: the buffer may be too small for the text (python -m migrate explain CCM072)
rc, name = doca_devinfo_get_ibdev_name(devs[0], 8)


# case: flat: a list that is freed by name, in an expression, and with an effect
from doca_comm_channel import *

lists = []
rc, devs, n = doca_devinfo_create_list()
lists.append(devs)
rc = doca_devinfo_destroy_list(devs)
doca_devinfo_destroy_list(devs)
doca_devinfo_destroy_list(lists.pop())

# output
import comch_next as comch

lists = []
rc, devs, n = comch.outcome_list(comch.devices)
lists.append(devs)
rc = comch.ErrorCode.SUCCESS if devs is not None else comch.ErrorCode.INVALID_VALUE
lists.pop()


# case: flat: a list that is freed in a block, which keeps a statement
from doca_comm_channel import *


def count(show):
    rc, devs, n = doca_devinfo_create_list()
    try:
        if show:
            print(n)
            doca_devinfo_destroy_list(devs)  # no leak
        else:
            doca_devinfo_destroy_list(devs)  # noqa: F405
    finally:
        print("done"); doca_devinfo_destroy_list(devs)
    doca_devinfo_destroy_list(devs)  # noqa: F405  # once more
    return n

# output
import comch_next as comch


def count(show):
    rc, devs, n = comch.outcome_list(comch.devices)
    try:
        if show:
            print(n)
            # no leak
        else:
            pass  # noqa: F405
    finally:
        print("done"); pass
    # once more
    return n
