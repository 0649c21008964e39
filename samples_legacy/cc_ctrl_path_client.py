#!/usr/bin/env python3
"""The control path on the host, with the contexts of DOCA 2.5: send a text once connected, print the answer."""
import argparse
import sys
import time

import doca_cc as cc

SERVICE_NAME = "ctrl_path"
LOG_NUM_SEND_TASKS = 4
MAX_MSG_SIZE = 4080
TIMEOUT_S = 30.0


def show(what, text):
    print("peer 1 %s %d bytes %r" % (what, len(text), text.decode(errors="replace")), flush=True)


class Sample:
    def __init__(self, args):
        self.text = args.text.encode()
        self.answered = False
        self.failed = None
        self.dev = cc.open_device(args.pci_addr)
        self.pe = cc.ProgressEngine()
        self.client = cc.Client(self.dev, SERVICE_NAME)
        self.client.set_max_msg_size(MAX_MSG_SIZE)
        self.client.send_task_set_conf(self.on_sent, self.on_send_failed, LOG_NUM_SEND_TASKS)
        self.client.event_msg_recv_register(self.on_message)
        self.ctx = self.client.as_ctx()
        self.ctx.set_user_data(self)
        self.ctx.set_state_changed_cb(on_state_changed)
        self.pe.connect_ctx(self.ctx)

    def send(self):
        task = self.client.send_task_alloc_init(self.client.get_connection(), self.text, len(self.text))
        task.as_task().submit()

    def on_sent(self, task, task_user_data, ctx_user_data):
        show("sent", self.text)
        task.as_task().free()

    def on_send_failed(self, task, task_user_data, ctx_user_data):
        self.failed = task.as_task().get_status()
        task.as_task().free()

    def on_message(self, event, recv_buffer, msg_len, connection):
        show("received", recv_buffer[:msg_len])
        self.answered = True

    def progress(self):
        if not self.pe.progress():
            time.sleep(1e-5)

    def talk(self):
        self.ctx.start()
        connection = self.client.get_connection()
        deadline = time.monotonic() + TIMEOUT_S
        while not self.answered or self.ctx.get_num_inflight_tasks():
            if self.failed is not None:
                raise cc.from_code(self.failed, "the server did not take the text")
            if self.ctx.get_state() == cc.DOCA_CTX_STATE_IDLE:
                connection.update_info()       # raises what became of it
            if time.monotonic() > deadline:
                raise cc.TimeOut("nothing came from the server")
            self.progress()

    def close(self):
        if self.ctx.get_state() != cc.DOCA_CTX_STATE_IDLE:
            self.ctx.stop()
        while self.ctx.get_state() != cc.DOCA_CTX_STATE_IDLE:
            self.progress()
        self.client.destroy()
        self.pe.destroy()
        self.dev.close()


def on_state_changed(user_data, ctx, prev_state, next_state):
    if next_state == cc.DOCA_CTX_STATE_RUNNING:
        user_data.send()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", help="representor PCI address (needed only on the DPU)")
    parser.add_argument("-t", "--text", default="Hello from the host", help="text to be sent to the server")
    args = parser.parse_args()
    try:
        sample = Sample(args)
        try:
            sample.talk()
        finally:
            sample.close()
    except cc.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
