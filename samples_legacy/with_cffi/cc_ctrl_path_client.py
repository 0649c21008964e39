#!/usr/bin/env python3
"""The control path on the host, the library of DOCA 2.6 called by cffi: send a text, print what the server answers."""
import argparse
import sys
import time

from cc_control import MAX_MSG_SIZE, NUM_SEND_TASKS, TIMEOUT_S, SampleError, cc, check, common, ffi, name_of
from cc_control import new_pe, open_dev, progress, show, state_of, stop

SERVICE_NAME = b"ctrl_path"


class Sample:
    def __init__(self, text):
        self.text = text
        self.client = ffi.NULL
        self.failed = 0
        self.answered = False


@ffi.callback("doca_cc_task_send_completion_cb_t")
def on_sent(task, task_user_data, ctx_user_data):
    show("sent", ffi.from_handle(ffi.cast("void *", ctx_user_data)).text)
    common.doca_task_free(cc.doca_cc_task_send_as_task(task))


@ffi.callback("doca_cc_task_send_completion_cb_t")
def on_send_failed(task, task_user_data, ctx_user_data):
    generic = cc.doca_cc_task_send_as_task(task)
    ffi.from_handle(ffi.cast("void *", ctx_user_data)).failed = common.doca_task_get_status(generic)
    common.doca_task_free(generic)


@ffi.callback("doca_ctx_state_changed_callback_t")
def on_state_changed(user_data, ctx, prev_state, next_state):
    sample = ffi.from_handle(ffi.cast("void *", user_data))
    if next_state == common.DOCA_CTX_STATE_RUNNING:
        connection, task = ffi.new("struct doca_cc_connection **"), ffi.new("struct doca_cc_task_send **")
        check(cc.doca_cc_client_get_connection(sample.client, connection), "client_get_connection")
        rc = cc.doca_cc_client_task_send_alloc_init(sample.client, connection[0], sample.text, len(sample.text), task)
        check(rc, "task_send_alloc_init")
        check(common.doca_task_submit(cc.doca_cc_task_send_as_task(task[0])), "task_submit")


def run(args):
    sample = Sample(args.text.encode())
    this = ffi.new_handle(sample)

    @ffi.callback("doca_cc_event_msg_recv_cb_t")
    def on_message(event, recv_buffer, msg_len, connection):
        show("received", ffi.buffer(recv_buffer, msg_len)[:])
        sample.answered = True

    dev, pe = open_dev(args.pci_addr), new_pe()
    client, connection = ffi.new("struct doca_cc_client **"), ffi.new("struct doca_cc_connection **")
    check(cc.doca_cc_client_create(dev, SERVICE_NAME, client), "client_create")
    sample.client = client[0]
    ctx = cc.doca_cc_client_as_ctx(client[0])
    try:
        check(cc.doca_cc_client_set_max_msg_size(client[0], MAX_MSG_SIZE), "set_max_msg_size")
        check(cc.doca_cc_client_task_send_set_conf(client[0], on_sent, on_send_failed, NUM_SEND_TASKS), "set_conf")
        check(cc.doca_cc_client_event_msg_recv_register(client[0], on_message), "event_msg_recv_register")
        check(common.doca_ctx_set_user_data(ctx, int(ffi.cast("uintptr_t", this))), "ctx_set_user_data")
        check(common.doca_ctx_set_state_changed_cb(ctx, on_state_changed), "ctx_set_state_changed_cb")
        check(common.doca_pe_connect_ctx(pe, ctx), "pe_connect_ctx")
        rc = common.doca_ctx_start(ctx)
        if rc != common.DOCA_ERROR_IN_PROGRESS:
            check(rc, "ctx_start")
        check(cc.doca_cc_client_get_connection(client[0], connection), "client_get_connection")
        talk(sample, pe, ctx, connection[0])
    finally:
        stop(pe, ctx)
        check(cc.doca_cc_client_destroy(client[0]), "client_destroy")
        check(common.doca_pe_destroy(pe), "pe_destroy")
        check(common.doca_dev_close(dev), "dev_close")


def talk(sample, pe, ctx, connection):
    inflight = ffi.new("size_t *")
    deadline = time.monotonic() + TIMEOUT_S
    while not sample.answered or inflight[0]:
        check(sample.failed, "the server did not take the text")
        if state_of(ctx) == common.DOCA_CTX_STATE_IDLE:
            check(cc.doca_cc_connection_update_info(connection), "connection_update_info")
        if time.monotonic() > deadline:
            raise SampleError(common.DOCA_ERROR_TIME_OUT, "nothing came from the server")
        progress(pe)
        check(common.doca_ctx_get_num_inflight_tasks(ctx, inflight), "ctx_get_num_inflight_tasks")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", help="representor PCI address (needed only on the DPU)")
    parser.add_argument("-t", "--text", default="Hello from the host", help="text to be sent to the server")
    try:
        run(parser.parse_args())
    except SampleError as error:
        print(error, file=sys.stderr)
        print("result", name_of(error.rc))
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
