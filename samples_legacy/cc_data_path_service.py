#!/usr/bin/env python3
"""The fast path on the DPU, with the contexts of DOCA 2.6: a consumer and a producer, one text each way."""
import argparse
import sys

from cc_data_path_common import *
from doca_cc import *


def path_of(cc_connection):
    rc, path = doca_ctx_get_user_data(doca_cc_server_as_ctx(doca_cc_server_get_server_ctx(cc_connection)))
    return path


def on_connected(event, cc_connection, change_successful):
    path = path_of(cc_connection)
    if path.connection is None and change_successful:
        path.connection = cc_connection


def on_disconnected(event, cc_connection, change_successful):
    path = path_of(cc_connection)
    path.disconnected = path.disconnected or cc_connection is path.connection


def on_new_consumer(event, cc_connection, consumer_id):
    path_of(cc_connection).remote_consumer_id = consumer_id


def on_expired_consumer(event, cc_connection, consumer_id):
    path_of(cc_connection).remote_consumer_id = None


def open_rep(dev, pci_addr):
    rc, dev_list, nb_devs = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
    check(rc, "devinfo_rep_create_list")
    try:
        for devinfo in dev_list[:nb_devs]:
            rc, is_equal = doca_devinfo_rep_is_equal_pci_addr(devinfo, pci_addr)
            if rc == DOCA_SUCCESS and is_equal:
                rc, rep = doca_dev_rep_open(devinfo)
                check(rc, "dev_rep_open")
                return rep
    finally:
        doca_devinfo_rep_destroy_list(dev_list)
    raise SampleError(DOCA_ERROR_NOT_FOUND, "no representor " + pci_addr)


def run(args):
    dev = open_dev(args.pci_addr)
    rep = open_rep(dev, args.rep_pci)
    rc, pe = doca_pe_create()
    check(rc, "pe_create")
    path = DataPath(pe, args.text)
    rc, server = doca_cc_server_create(dev, rep, SERVICE_NAME)
    check(rc, "server_create")
    ctx = doca_cc_server_as_ctx(server)
    try:
        check(doca_cc_server_task_send_set_conf(server, on_control_sent, on_control_sent, 1), "task_send_set_conf")
        check(doca_cc_server_event_msg_recv_register(server, on_control_message), "event_msg_recv_register")
        check(doca_cc_server_event_connection_register(server, on_connected, on_disconnected),
              "event_connection_register")
        check(doca_cc_server_event_consumer_register(server, on_new_consumer, on_expired_consumer),
              "event_consumer_register")
        check(doca_ctx_set_user_data(ctx, path), "ctx_set_user_data")
        check(doca_pe_connect_ctx(pe, ctx), "pe_connect_ctx")
        check(doca_ctx_start(ctx), "ctx_start")
        print("listening on", SERVICE_NAME, flush=True)
        path.within(float("inf"))
        while path.connection is None:
            path.progress()
        exchange(path, dev)
        while not path.disconnected:                     # the client may still use the connection, and leaves first
            doca_pe_progress(pe)
    finally:
        stop(pe, ctx)
        check(doca_cc_server_destroy(server), "server_destroy")
        check(doca_pe_destroy(pe), "pe_destroy")
        check(doca_dev_rep_close(rep), "dev_rep_close")
        check(doca_dev_close(dev), "dev_close")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", type=text_of, default="Hello from the DPU", help="text for the client")
    return run_sample(parser, run)


if __name__ == "__main__":
    sys.exit(main())
