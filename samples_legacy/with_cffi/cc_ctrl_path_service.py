#!/usr/bin/env python3
"""The control path on the DPU, the library of DOCA 2.6 called by cffi: answer a client's text, end when it has left."""
import argparse
import sys

from cc_control import MAX_MSG_SIZE, NUM_SEND_TASKS, SampleError, cc, check, common, ffi, name_of
from cc_control import new_pe, open_dev, open_rep, progress, show, stop

SERVICE_NAME = b"ctrl_path"


class Sample:
    def __init__(self, text):
        self.text = text
        self.failed = 0
        self.answered = self.client_has_left = False

    def callbacks(self):
        """They live as long as the list does."""

        @ffi.callback("doca_cc_task_send_completion_cb_t")
        def on_sent(task, task_user_data, ctx_user_data):
            show("sent", self.text)
            common.doca_task_free(cc.doca_cc_task_send_as_task(task))
            self.answered = True

        @ffi.callback("doca_cc_task_send_completion_cb_t")
        def on_send_failed(task, task_user_data, ctx_user_data):
            self.failed = common.doca_task_get_status(cc.doca_cc_task_send_as_task(task))
            common.doca_task_free(cc.doca_cc_task_send_as_task(task))

        @ffi.callback("doca_cc_event_msg_recv_cb_t")
        def on_message(event, recv_buffer, msg_len, connection):
            show("received", ffi.buffer(recv_buffer, msg_len)[:])
            server, task = cc.doca_cc_server_get_server_ctx(connection), ffi.new("struct doca_cc_task_send **")
            rc = cc.doca_cc_server_task_send_alloc_init(server, connection, self.text, len(self.text), task)
            check(rc, "task_send_alloc_init")
            check(common.doca_task_submit(cc.doca_cc_task_send_as_task(task[0])), "task_submit")

        @ffi.callback("doca_cc_event_connection_status_changed_cb_t")
        def on_connected(event, connection, change_successful):
            """Nothing to do: the client speaks first."""

        @ffi.callback("doca_cc_event_connection_status_changed_cb_t")
        def on_disconnected(event, connection, change_successful):
            self.client_has_left = True

        return on_sent, on_send_failed, on_message, on_connected, on_disconnected


def run(args):
    sample = Sample(args.text.encode())
    on_sent, on_send_failed, on_message, on_connected, on_disconnected = sample.callbacks()
    dev = open_dev(args.pci_addr)
    rep, pe = open_rep(dev, args.rep_pci), new_pe()
    server = ffi.new("struct doca_cc_server **")
    check(cc.doca_cc_server_create(dev, rep, SERVICE_NAME, server), "server_create")
    ctx = cc.doca_cc_server_as_ctx(server[0])
    try:
        check(cc.doca_cc_server_set_max_msg_size(server[0], MAX_MSG_SIZE), "set_max_msg_size")
        check(cc.doca_cc_server_task_send_set_conf(server[0], on_sent, on_send_failed, NUM_SEND_TASKS), "set_conf")
        check(cc.doca_cc_server_event_msg_recv_register(server[0], on_message), "event_msg_recv_register")
        check(cc.doca_cc_server_event_connection_register(server[0], on_connected, on_disconnected), "connection")
        check(common.doca_pe_connect_ctx(pe, ctx), "pe_connect_ctx")
        check(common.doca_ctx_start(ctx), "ctx_start")
        print("listening on", SERVICE_NAME.decode(), flush=True)
        while not sample.client_has_left:
            check(sample.failed, "the client did not take the answer")
            progress(pe)
        if not sample.answered:
            raise SampleError(common.DOCA_ERROR_CONNECTION_RESET, "the client has gone without an answer")
    finally:
        stop(pe, ctx)
        check(cc.doca_cc_server_destroy(server[0]), "server_destroy")
        check(common.doca_pe_destroy(pe), "pe_destroy")
        check(common.doca_dev_rep_close(rep), "dev_rep_close")
        check(common.doca_dev_close(dev), "dev_close")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", default="Hello from the DPU", help="text to be sent to the client")
    try:
        run(parser.parse_args())
    except SampleError as error:
        print(error, file=sys.stderr)
        print("result", name_of(error.rc))
        return 1
    except KeyboardInterrupt:
        sys.exit("interrupted")
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
