"""cc_ctrl_path_client: send a text once connected, print what the server answers."""

import argparse

import doca_cc as cc

NAME = "cc_ctrl_path_sample_server"


class Objects:
    """What the C sample has in a struct."""

    def __init__(self, text):
        self.text = text
        self.pe = self.client = self.ctx = None
        self.finish = False
        self.answer = None

    def send_done(self, task, task_user_data, ctx_user_data):
        print("message sent", ctx_user_data is self, task_user_data)
        task.as_task().free()

    def send_failed(self, task, task_user_data, ctx_user_data):
        print("message failed", task.as_task().get_status())
        task.as_task().free()
        self.ctx.stop()

    def on_message(self, event, recv_buffer, msg_len, cc_connection):
        self.answer = recv_buffer
        print("Message received: '%s'" % recv_buffer.decode(), msg_len, cc_connection is self.client.get_connection())
        self.ctx.stop()

    def on_state(self, user_data, ctx, prev_state, next_state):
        names = {
            cc.DOCA_CTX_STATE_IDLE: "idle",
            cc.DOCA_CTX_STATE_STARTING: "starting",
            cc.DOCA_CTX_STATE_RUNNING: "running",
            cc.DOCA_CTX_STATE_STOPPING: "stopping",
        }
        print("client context is", names[next_state])
        if next_state == cc.DOCA_CTX_STATE_RUNNING:
            task = self.client.task_send_alloc_init(self.client.get_connection(), self.text)
            task.as_task().set_user_data("greeting")
            task.as_task().submit()
        self.finish = next_state == cc.DOCA_CTX_STATE_IDLE

    def run(self, dev):
        self.pe = cc.ProgressEngine()
        self.client = cc.Client(dev, NAME)
        self.ctx = self.client.as_ctx()
        self.pe.connect_ctx(self.ctx)
        self.ctx.set_state_changed_cb(self.on_state)
        self.client.task_send_set_conf(self.send_done, self.send_failed, 1024)
        self.client.event_msg_recv_register(self.on_message)
        self.client.set_max_msg_size(4080)
        self.client.set_recv_queue_size(10)
        self.ctx.set_user_data(self)
        self.ctx.start()
        while not self.finish:
            self.pe.progress()
        self.client.destroy()
        self.pe.destroy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", "--pci-addr", default="b1:00.0")
    parser.add_argument("-t", "--text", default="Message from the client")
    args = parser.parse_args()
    dev = cc.open_device(args.pci_addr)
    objects = Objects(args.text.encode())
    try:
        objects.run(dev)
    finally:
        dev.close()
    print("answer", objects.answer)


if __name__ == "__main__":
    main()
