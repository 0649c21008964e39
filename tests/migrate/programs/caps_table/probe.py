#!/usr/bin/env python3
"""Print what every device of this machine can do for a comm channel.

The flat calls ask; the objects open. A dash means that the device refused to answer.
"""
import sys

import doca_comm_channel
from doca_comm_channel import (
    DOCA_DEVINFO_IBDEV_NAME_SIZE,
    DOCA_DEVINFO_IFACE_NAME_SIZE,
    DOCA_DEVINFO_REP_FILTER_ALL,
    DOCA_DEVINFO_REP_FILTER_NET,
    DOCA_ERROR_NOT_SUPPORTED,
    DOCA_PCI_FUNC_TYPE_PF,
    DOCA_PCI_FUNC_TYPE_SF,
    DOCA_PCI_FUNC_TYPE_VF,
    DOCA_SUCCESS,
    DocaError,
    devices,
    doca_comm_channel_get_max_message_size as max_message,
    doca_comm_channel_get_max_recv_queue_size as max_recv,
    doca_comm_channel_get_max_send_queue_size as max_send,
    doca_comm_channel_get_max_service_name_len,
    doca_devinfo_get_pci_addr_str,
    doca_devinfo_rep_cap_is_filter_all_supported,
    doca_devinfo_rep_create_list,
    doca_devinfo_rep_destroy_list,
    doca_devinfo_rep_get_pci_addr_str,
    doca_devinfo_rep_get_pci_func_type,
    doca_devinfo_rep_get_vuid,
    doca_error_get_name,
)

KINDS = {DOCA_PCI_FUNC_TYPE_PF: "PF", DOCA_PCI_FUNC_TYPE_VF: "VF", DOCA_PCI_FUNC_TYPE_SF: "SF"}
refused = {}


def ask(function, *args, default="-"):
    rc, value = function(*args)
    if rc == DOCA_SUCCESS:
        return value
    refused[rc] = refused.get(rc, 0) + 1
    return default


COLUMNS = (
    ("address", lambda info: ask(doca_devinfo_get_pci_addr_str, info)),
    ("message", lambda info: ask(max_message, info)),
    ("send", lambda info: ask(max_send, info)),
    ("recv", lambda info: ask(max_recv, info)),
    ("clients", lambda info: ask(doca_comm_channel.doca_comm_channel_get_service_max_num_connections, info)),
    ("reps", lambda info: "yes" if ask(doca_devinfo_rep_cap_is_filter_all_supported, info, default=0) else "no"),
)


def table(rows, titles):
    texts = [titles, *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(text[column]) for text in texts) for column in range(len(titles))]
    for text in texts:
        print("  ".join(cell.rjust(width) for cell, width in zip(text, widths)).rstrip())


def representors(address):
    with doca_comm_channel.open_device(address) as device:
        rc, infos, count = doca_devinfo_rep_create_list(device, DOCA_DEVINFO_REP_FILTER_ALL)
        if rc != DOCA_SUCCESS:
            print(address, "has no representors:", doca_error_get_name(rc))
            return
        rows = []
        for info in infos:
            kind = KINDS[ask(doca_devinfo_rep_get_pci_func_type, info)]
            rc, vuid = doca_devinfo_rep_get_vuid(info, 4)
            rows.append((ask(doca_devinfo_rep_get_pci_addr_str, info), kind, rc))
        table(sorted(rows), ["representor", "kind", "vuid"])
        rc, net, nets = doca_devinfo_rep_create_list(device, DOCA_DEVINFO_REP_FILTER_NET)
        print(count, "representors,", nets, "of them for the network")
        doca_devinfo_rep_destroy_list(net)
        doca_devinfo_rep_destroy_list(infos)


def try_sizes(address):
    """Which sizes an endpoint takes, and what it makes of them."""
    ep = doca_comm_channel.Endpoint()
    try:
        print("without device:", end=" ")
        try:
            ep.get_device()
        except DocaError as error:
            print(error.name)
        with doca_comm_channel.open_device(address) as device:
            ep.set_device(device)
            limit = doca_comm_channel.get_max_message_size(device.as_devinfo())
            for size in (1, 100, 4080, limit, limit + 1, 0):
                try:
                    ep.set_max_msg_size(size)
                    print("size", size, "->", ep.get_max_msg_size())
                except DocaError as error:
                    print("size", size, "->", error.name)
            for size in (1, 3, 10, 512, 8192, 8193):
                try:
                    ep.set_send_queue_size(size)
                    ep.set_recv_queue_size(size)
                    print("queue", size, "->", ep.get_send_queue_size(), ep.get_recv_queue_size())
                except DocaError as error:
                    print("queue", size, "->", error.name)
    finally:
        ep.destroy()


def main():
    infos = devices()
    rows = [[column(info) for _, column in COLUMNS] for info in infos]
    rows.sort()
    table(rows, [title for title, _ in COLUMNS])
    print("names:", ask(doca_comm_channel_get_max_service_name_len))
    for row in rows[:2]:
        representors(row[0])
    try_sizes("b1:00.0")
    for rc in sorted(refused):
        print("refused", doca_error_get_name(rc), refused[rc])
    return 0 if refused.get(DOCA_ERROR_NOT_SUPPORTED) else 1


if __name__ == "__main__":
    sys.exit(main())
