#!/usr/bin/env python3
"""The fast path on the host, with the contexts of DOCA 2.6: a consumer and a producer, one text each way."""
import argparse
import sys

from cc_data_path_common import *
from doca_cc import *


def on_new_consumer(event, cc_connection, consumer_id):
    rc, path = doca_ctx_get_user_data(doca_cc_client_as_ctx(doca_cc_client_get_client_ctx(cc_connection)))
    path.remote_consumer_id = consumer_id


def on_expired_consumer(event, cc_connection, consumer_id):
    rc, path = doca_ctx_get_user_data(doca_cc_client_as_ctx(doca_cc_client_get_client_ctx(cc_connection)))
    path.remote_consumer_id = None


def on_state_changed(path, ctx, prev_state, next_state):
    path.disconnected = next_state in (DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE)


def run(args):
    dev = open_dev(args.pci_addr)
    rc, pe = doca_pe_create()
    check(rc, "pe_create")
    path = DataPath(pe, args.text)
    rc, client = doca_cc_client_create(dev, SERVICE_NAME)
    check(rc, "client_create")
    ctx = doca_cc_client_as_ctx(client)
    try:
        check(doca_cc_client_task_send_set_conf(client, on_control_sent, on_control_sent, 1), "task_send_set_conf")
        check(doca_cc_client_event_msg_recv_register(client, on_control_message), "event_msg_recv_register")
        check(doca_cc_client_event_consumer_register(client, on_new_consumer, on_expired_consumer),
              "event_consumer_register")
        check(doca_ctx_set_user_data(ctx, path), "ctx_set_user_data")
        check(doca_ctx_set_state_changed_cb(ctx, on_state_changed), "ctx_set_state_changed_cb")
        check(doca_pe_connect_ctx(pe, ctx), "pe_connect_ctx")
        rc = doca_ctx_start(ctx)
        if rc != DOCA_ERROR_IN_PROGRESS:
            check(rc, "ctx_start")
        rc, path.connection = doca_cc_client_get_connection(client)
        check(rc, "client_get_connection")
        path.within(TIMEOUT_S)
        while doca_ctx_get_state(ctx) == (DOCA_SUCCESS, DOCA_CTX_STATE_STARTING):
            path.progress()
        exchange(path, dev)
        while path.remote_consumer_id is not None:       # the server still uses the connection
            path.progress()
    finally:
        stop(pe, ctx)
        check(doca_cc_client_destroy(client), "client_destroy")
        check(doca_pe_destroy(pe), "pe_destroy")
        check(doca_dev_close(dev), "dev_close")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", help="representor PCI address (needed only on the DPU)")
    parser.add_argument("-t", "--text", type=text_of, default="Hello from the host", help="text for the server")
    return run_sample(parser, run)


if __name__ == "__main__":
    sys.exit(main())
