#!/usr/bin/env python3
"""The control path on the DPU, with the contexts of DOCA 2.5: answer a client's text, end when it has left."""
import argparse
import sys
import time

import doca_cc as cc

SERVICE_NAME = "ctrl_path"
LOG_NUM_SEND_TASKS = 4
MAX_MSG_SIZE = 4080


def show(what, text):
    print("peer 1 %s %d bytes %r" % (what, len(text), text.decode(errors="replace")), flush=True)


class Sample:
    def __init__(self, args):
        self.text = args.text.encode()
        self.answered = False
        self.client_has_left = False
        self.failed = None
        self.dev = cc.open_device(args.pci_addr)
        self.rep = self.dev.open_representor(args.rep_pci)
        self.pe = cc.ProgressEngine()
        self.server = cc.Server(self.dev, self.rep, SERVICE_NAME)
        self.server.set_max_msg_size(MAX_MSG_SIZE)
        self.server.send_task_set_conf(self.on_sent, self.on_send_failed, LOG_NUM_SEND_TASKS)
        self.server.event_msg_recv_register(self.on_message)
        self.server.event_connection_register(self.on_connected, self.on_disconnected)
        self.ctx = self.server.as_ctx()
        self.pe.connect_ctx(self.ctx)

    def on_connected(self, event, connection, change_successful):
        """Nothing to do: the client speaks first."""

    def on_disconnected(self, event, connection, change_successful):
        self.client_has_left = True

    def on_message(self, event, recv_buffer, msg_len, connection):
        show("received", recv_buffer[:msg_len])
        server = connection.get_server_ctx()
        server.send_task_alloc_init(connection, self.text, len(self.text)).as_task().submit()

    def on_sent(self, task, task_user_data, ctx_user_data):
        show("sent", self.text)
        task.as_task().free()
        self.answered = True

    def on_send_failed(self, task, task_user_data, ctx_user_data):
        self.failed = task.as_task().get_status()
        task.as_task().free()

    def progress(self):
        if not self.pe.progress():
            time.sleep(1e-5)

    def serve(self):
        self.ctx.start()
        print("listening on", SERVICE_NAME, flush=True)
        while not self.client_has_left:
            if self.failed is not None:
                raise cc.from_code(self.failed, "the client did not take the answer")
            self.progress()
        if not self.answered:
            raise cc.ConnectionReset("the client has gone without an answer")

    def close(self):
        if self.ctx.get_state() != cc.DOCA_CTX_STATE_IDLE:
            self.ctx.stop()
        while self.ctx.get_state() != cc.DOCA_CTX_STATE_IDLE:
            self.progress()
        self.server.destroy()
        self.pe.destroy()
        self.rep.close()
        self.dev.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", default="Hello from the DPU", help="text to be sent to the client")
    args = parser.parse_args()
    try:
        sample = Sample(args)
        try:
            sample.serve()
        finally:
            sample.close()
    except cc.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    except KeyboardInterrupt:
        sys.exit("interrupted")
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
