#!/usr/bin/env python3
"""The control path on the host, the library of DOCA 2.6 called by ctypes: send a text, print the answer."""
import argparse
import sys
import time
from ctypes import byref, c_size_t

from cc_control import (DOCA_ERROR_IN_PROGRESS, DOCA_ERROR_TIME_OUT, DOCA_SUCCESS, IDLE, MAX_MSG_SIZE, MSG_RECV_CB,
                        NUM_SEND_TASKS, RUNNING, STATE_CB, TASK_CB, TIMEOUT_S)
from cc_control import cc, free, new, progress, show, state_of, stop, submit_text, text_of
from channel import Device, DocaError, check, common

SERVICE_NAME = b"ctrl_path"


class Client:
    """One text sent, one answer received. The callbacks live as long as their object."""

    def __init__(self, dev, text):
        self.text = text
        self.failed, self.answered = DOCA_SUCCESS, False
        self.on_sent, self.on_send_failed = TASK_CB(self.sent), TASK_CB(self.send_failed)
        self.on_message, self.on_state = MSG_RECV_CB(self.message), STATE_CB(self.state_changed)
        self.pe = new(common.doca_pe_create)
        self.client = new(cc.doca_cc_client_create, dev.handle, SERVICE_NAME)
        self.ctx = cc.doca_cc_client_as_ctx(self.client)
        check(cc.doca_cc_client_set_max_msg_size(self.client, MAX_MSG_SIZE))
        check(cc.doca_cc_client_task_send_set_conf(self.client, self.on_sent, self.on_send_failed, NUM_SEND_TASKS))
        check(cc.doca_cc_client_event_msg_recv_register(self.client, self.on_message))
        check(common.doca_ctx_set_state_changed_cb(self.ctx, self.on_state))
        check(common.doca_pe_connect_ctx(self.pe, self.ctx))

    def sent(self, task, task_user_data, ctx_user_data):
        show("sent", self.text)
        free(task)

    def send_failed(self, task, task_user_data, ctx_user_data):
        self.failed = free(task)

    def message(self, event, recv_buffer, msg_len, connection):
        show("received", text_of(recv_buffer, msg_len))
        self.answered = True

    def state_changed(self, user_data, ctx, prev_state, next_state):
        if next_state == RUNNING:
            submit_text(cc.doca_cc_client_task_send_alloc_init, self.client, self.connection(), self.text)

    def connection(self):
        return new(cc.doca_cc_client_get_connection, self.client)

    def talk(self):
        result = common.doca_ctx_start(self.ctx)
        if result != DOCA_ERROR_IN_PROGRESS:
            check(result)
        connection, inflight = self.connection(), c_size_t()
        deadline = time.monotonic() + TIMEOUT_S
        while not self.answered or inflight.value:
            check(self.failed)
            if state_of(self.ctx) == IDLE:
                check(cc.doca_cc_connection_update_info(connection))
            if time.monotonic() > deadline:
                raise DocaError(DOCA_ERROR_TIME_OUT)
            progress(self.pe)
            check(common.doca_ctx_get_num_inflight_tasks(self.ctx, byref(inflight)))

    def close(self):
        stop(self.pe, self.ctx)
        check(cc.doca_cc_client_destroy(self.client))
        check(common.doca_pe_destroy(self.pe))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", help="representor PCI address (needed only on the DPU)")
    parser.add_argument("-t", "--text", default="Hello from the host", help="text to be sent to the server")
    args = parser.parse_args()
    try:
        dev = Device(args.pci_addr)
        client = Client(dev, args.text.encode())
        try:
            client.talk()
        finally:
            client.close()
            dev.close()
    except DocaError as error:
        print("failed:", error.name, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
