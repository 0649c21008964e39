"""Parcels on the fast path and words about them on the control path, both ends in one process; what each one ends."""
import sys
import time

import doca_cc as cc

SIZE = 256


class Memory:
    """What an end reads parcels into, or has them in."""

    def __init__(self, dev):
        self.area = bytearray(2 * SIZE)
        self.mmap = cc.Mmap()
        self.mmap.add_dev(dev)
        self.mmap.set_permissions(cc.DOCA_ACCESS_FLAG_PCI_READ_WRITE)
        self.mmap.set_memrange(self.area, len(self.area))
        self.mmap.start()
        self.base, _ = self.mmap.get_memrange()
        self.inventory = cc.BufInventory(2)
        self.inventory.start()

    def end(self):
        self.inventory.destroy()
        self.mmap.destroy()


class End:
    """A server or client, with a consumer and a producer on its connection."""

    def __init__(self, context, dev):
        self.context, self.dev = context, dev
        self.engine = cc.ProgressEngine()
        self.connections, self.remote = [], []
        self.words, self.parcels = [], []
        self.engine.connect_ctx(context.as_ctx())
        context.task_send_set_conf(self.on_word_sent, self.on_word_sent, 4)
        context.event_msg_recv_register(self.on_word)
        context.event_consumer_register(self.on_consumer, lambda event, connection, number: None)

    def on_word_sent(self, task, task_user_data, ctx_user_data):
        task.as_task().free()

    def on_word(self, event, recv_buffer, msg_len, connection):
        self.words.append(recv_buffer[:msg_len])

    def on_consumer(self, event, connection, number):
        self.remote.append(number)

    def open(self, connection):
        self.connection = connection
        self.memory = Memory(self.dev)
        self.consumer, self.producer = cc.Consumer(connection, self.memory.mmap), cc.Producer(connection)
        self.consumer.task_post_recv_set_conf(self.on_parcel, self.on_failed, 2)
        self.producer.task_send_set_conf(self.on_sent, self.on_failed, 2)
        for context in (self.consumer, self.producer):
            self.engine.connect_ctx(context.as_ctx())
            context.as_ctx().start()

    def is_open(self):
        return self.remote and self.consumer.as_ctx().get_state() == cc.DOCA_CTX_STATE_RUNNING

    def post(self):
        buf = self.memory.inventory.buf_get_by_addr(self.memory.mmap, self.memory.base, SIZE)
        self.consumer.task_post_recv_alloc_init(buf).as_task().submit()

    def on_parcel(self, task, task_user_data, ctx_user_data):
        self.parcels.append(bytes(self.memory.area[: task.get_buf().get_data_len()]))
        self.on_sent(task, task_user_data, ctx_user_data)

    def on_sent(self, task, task_user_data, ctx_user_data):
        task.get_buf().dec_refcount()
        task.as_task().free()

    def on_failed(self, task, task_user_data, ctx_user_data):
        print("failed", cc.code_name(task.as_task().get_status()))
        self.on_sent(task, task_user_data, ctx_user_data)

    def say(self, word):
        self.context.task_send_alloc_init(self.connection, word).as_task().submit()

    def send(self, parcel):
        self.memory.area[SIZE : SIZE + len(parcel)] = parcel
        buf = self.memory.inventory.buf_get_by_data(self.memory.mmap, self.memory.base + SIZE, len(parcel))
        self.producer.task_send_alloc_init(buf, self.remote[0]).as_task().submit()

    def close(self):
        for context in (self.producer, self.consumer):
            context.as_ctx().stop()
            until(lambda: context.as_ctx().get_state() == cc.DOCA_CTX_STATE_IDLE, self)
            context.destroy()


def until(condition, *ends):
    deadline = time.monotonic() + 10
    while not condition():
        if not sum(end.engine.progress() for end in ends):
            time.sleep(0.0002)
        if time.monotonic() > deadline:
            sys.exit("nothing comes")


def deliver(number, client, server):
    """A word, then the parcel; the receipt is a parcel, too, and a word behind it."""
    client.say(b"parcel %d" % number)
    until(lambda: server.words, client, server)
    server.post()
    client.post()
    client.send(b"content " * number)
    until(lambda: server.parcels, client, server)
    print(server.words.pop(), len(server.parcels.pop()))
    server.send(b"receipt %d" % number)
    until(lambda: client.parcels, client, server)
    server.say(b"done")
    until(lambda: client.words, client, server)
    print(client.parcels.pop(), client.words.pop())


def main():
    dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    server = End(cc.Server(dpu, rep, "parcels"), dpu)
    joined = server.connections
    server.context.event_connection_register(
        lambda event, connection, ok: joined.append(connection), lambda event, connection, ok: joined.clear()
    )
    server.context.as_ctx().start()
    client = End(cc.Client(host, "parcels"), host)
    client.context.as_ctx().start()
    until(lambda: joined and client.context.as_ctx().get_state() == cc.DOCA_CTX_STATE_RUNNING, server, client)
    for end, connection in ((server, joined[0]), (client, client.context.get_connection())):
        end.open(connection)
    until(lambda: server.is_open() and client.is_open(), server, client)
    for number in range(1, 4):
        deliver(number, client, server)
    sys.stdout.flush()
    sys.stdout.buffer.write(b"\xa7 all delivered\r\n")  # for a machine of long ago
    for end in (client, server):
        end.close()
    client.memory.end()
    client.context.as_ctx().stop()
    until(lambda: client.context.as_ctx().get_state() == cc.DOCA_CTX_STATE_IDLE, client, server)
    client.context.destroy()
    client.engine.destroy()
    until(lambda: not joined, server)
    server.memory.end()
    server.context.as_ctx().stop()
    until(lambda: server.context.as_ctx().get_state() == cc.DOCA_CTX_STATE_IDLE, server)
    server.context.destroy()
    server.engine.destroy()
    rep.close()
    dpu.close()


if __name__ == "__main__":
    main()
