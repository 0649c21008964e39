#!/usr/bin/env python3
"""The control path on the DPU, the library of DOCA 2.6 called by ctypes: answer a text until its client leaves."""
import argparse
import sys

from cc_control import CONNECTION_CB, DOCA_ERROR_CONNECTION_RESET, DOCA_SUCCESS, MAX_MSG_SIZE, MSG_RECV_CB
from cc_control import NUM_SEND_TASKS, TASK_CB, cc, free, new, progress, show, stop, submit_text, text_of
from channel import Device, DocaError, check, common

SERVICE_NAME = b"ctrl_path"


class Server:
    """It answers one text. The callbacks live as long as their object."""

    def __init__(self, dev, rep, text):
        self.text = text
        self.failed, self.answered, self.client_has_left = DOCA_SUCCESS, False, False
        self.on_sent, self.on_send_failed = TASK_CB(self.sent), TASK_CB(self.send_failed)
        self.on_message = MSG_RECV_CB(self.message)
        self.on_up, self.on_down = CONNECTION_CB(self.up), CONNECTION_CB(self.down)
        self.pe = new(common.doca_pe_create)
        self.server = new(cc.doca_cc_server_create, dev.handle, rep.handle, SERVICE_NAME)
        self.ctx = cc.doca_cc_server_as_ctx(self.server)
        check(cc.doca_cc_server_set_max_msg_size(self.server, MAX_MSG_SIZE))
        check(cc.doca_cc_server_task_send_set_conf(self.server, self.on_sent, self.on_send_failed, NUM_SEND_TASKS))
        check(cc.doca_cc_server_event_msg_recv_register(self.server, self.on_message))
        check(cc.doca_cc_server_event_connection_register(self.server, self.on_up, self.on_down))
        check(common.doca_pe_connect_ctx(self.pe, self.ctx))

    def sent(self, task, task_user_data, ctx_user_data):
        show("sent", self.text)
        free(task)
        self.answered = True

    def send_failed(self, task, task_user_data, ctx_user_data):
        self.failed = free(task)

    def message(self, event, recv_buffer, msg_len, connection):
        show("received", text_of(recv_buffer, msg_len))
        server = cc.doca_cc_server_get_server_ctx(connection)
        submit_text(cc.doca_cc_server_task_send_alloc_init, server, connection, self.text)

    def up(self, event, connection, change_successful):
        """Nothing to do: the client speaks first."""

    def down(self, event, connection, change_successful):
        self.client_has_left = True

    def serve(self):
        check(common.doca_ctx_start(self.ctx))
        print("listening on", SERVICE_NAME.decode(), flush=True)
        while not self.client_has_left:
            check(self.failed)
            progress(self.pe)
        if not self.answered:
            raise DocaError(DOCA_ERROR_CONNECTION_RESET)

    def close(self):
        stop(self.pe, self.ctx)
        check(cc.doca_cc_server_destroy(self.server))
        check(common.doca_pe_destroy(self.pe))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", default="Hello from the DPU", help="text to be sent to the client")
    args = parser.parse_args()
    try:
        dev = Device(args.pci_addr)
        rep = Device(args.rep_pci, dev)
        server = Server(dev, rep, args.text.encode())
        try:
            server.serve()
        finally:
            server.close()
            rep.close()
            dev.close()
    except DocaError as error:
        print("failed:", error.name, file=sys.stderr)
        print("result", error.name)
        return 1
    except KeyboardInterrupt:
        sys.exit("interrupted")
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
