#!/usr/bin/env python3
"""bulk: measure-like tool, -l receives on the DPU, else sends from the host. Objects, DOCA 2.5."""

import argparse
from contextlib import ExitStack, contextmanager

import doca_cc
from doca_cc import Again, Consumer, Mmap, Producer

LOG_TASKS = 3
SIZE = 1 << 12


class Side:
    """Base of both: owns the engine and follows the states."""

    def __init__(self, pci):
        self.dev = doca_cc.open_device(pci)
        self.pe = doca_cc.ProgressEngine()
        self.states = {}
        self.consumers = []
        self.gone = []

    def spin_until(self, predicate):
        while not predicate():
            self.pe.progress()

    def on_state(self, name, ctx, prev_state, next_state):
        self.states[name] = next_state

    def up(self, name, ctx):
        ctx.set_user_data(name)
        ctx.set_state_changed_cb(self.on_state)
        self.pe.connect_ctx(ctx)
        ctx.start()
        self.spin_until(lambda: self.states.get(name) == doca_cc.DOCA_CTX_STATE_RUNNING)

    def down(self, name, ctx):
        ctx.stop()
        self.spin_until(lambda: self.states.get(name) == doca_cc.DOCA_CTX_STATE_IDLE)

    def on_consumer(self, event, connection, id):
        self.consumers.append(id)

    def on_expired(self, event, connection, id):
        self.gone.append(id)

    @staticmethod
    def on_ctrl(task, task_data, ctx_data):
        task.as_task().free()

    @staticmethod
    def on_text(event, data, length, connection):
        raise RuntimeError("no text is sent here")

    def configure(self, endpoint):
        endpoint.send_task_set_conf(self.on_ctrl, self.on_ctrl, 0)
        endpoint.event_msg_recv_register(self.on_text)
        endpoint.event_consumer_register(self.on_consumer, self.on_expired)

    @contextmanager
    def memory(self, access, slots):
        area = bytearray(SIZE * slots)
        mmap = Mmap()
        mmap.add_dev(self.dev)
        mmap.set_permissions(access)
        mmap.set_memrange(area, len(area))
        mmap.start()
        inventory = doca_cc.BufInventory(slots)
        inventory.start()
        try:
            yield area, mmap, inventory
        finally:
            inventory.stop()
            inventory.destroy()
            mmap.stop()
            mmap.destroy()

    def close(self):
        self.pe.destroy()
        self.dev.close()


class Sink(Side):
    def __init__(self):
        super().__init__("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.peers = []
        self.left = False
        self.order, self.total = [], 0

    def connected(self, event, connection, ok):
        self.peers.append(connection)

    def disconnected(self, event, connection, ok):
        self.left = True

    def posted(self, task, slot, name):
        buf = task.get_buf()
        address, length = buf.get_data(), buf.get_data_len()
        start = address - self.base
        self.order.append(self.area[start])
        self.total += length
        buf.reset_data_len()
        task.as_task().submit()

    def flushed(self, task, slot, name):
        task.get_buf().dec_refcount()
        task.as_task().free()

    def run(self, count):
        server = doca_cc.Server(self.dev, self.rep, "bulk5")
        self.configure(server)
        server.event_connection_register(self.connected, self.disconnected)
        self.up("server", server.as_ctx())
        print("listening", flush=True)
        self.spin_until(lambda: self.peers)
        with self.memory(doca_cc.DOCA_ACCESS_FLAG_PCI_READ_WRITE, 4) as (self.area, mmap, inventory):
            self.base, _ = mmap.get_memrange()
            consumer = Consumer(self.peers[0], mmap)
            consumer.post_recv_task_set_conf(self.posted, self.flushed, LOG_TASKS)
            print("log tasks %d, tasks up to %d" % (LOG_TASKS, 1 << LOG_TASKS))
            self.up("consumer", consumer.as_ctx())
            for slot in range(4):
                buf = inventory.buf_get_by_addr(mmap, self.base + slot * SIZE, SIZE)
                task = consumer.post_recv_task_alloc_init(buf)
                task.as_task().set_user_data(slot)
                task.as_task().submit()
            self.spin_until(lambda: len(self.order) >= count)
            self.down("consumer", consumer.as_ctx())
            consumer.destroy()
        print("got %d buffers, %d bytes, order %s" % (len(self.order), self.total, self.order))
        self.spin_until(lambda: self.left)
        print("consumers known: %d" % len(self.peers))
        self.down("server", server.as_ctx())
        server.destroy()
        self.rep.close()
        self.close()


class Source(Side):
    def __init__(self):
        super().__init__("b1:00.0")
        self.sent = self.failed = 0

    def ok(self, task, number, name):
        self.sent += 1
        self.give_back(task)

    def bad(self, task, number, name):
        self.failed += 1
        self.give_back(task)

    @staticmethod
    def give_back(task):
        task.get_buf().dec_refcount()
        task.as_task().free()

    def run(self, count):
        client = doca_cc.Client(self.dev, "bulk5")
        self.configure(client)
        self.up("client", client.as_ctx())
        with ExitStack() as stack:
            area, mmap, inventory = stack.enter_context(
                self.memory(doca_cc.DOCA_ACCESS_FLAG_LOCAL_READ_WRITE, count)
            )
            base, size = mmap.get_memrange()
            producer = Producer(client.get_connection())
            producer.send_task_set_conf(self.ok, self.bad, LOG_TASKS)
            print("log tasks %d, tasks up to %d" % (LOG_TASKS, 1 << LOG_TASKS))
            self.up("producer", producer.as_ctx())
            self.spin_until(lambda: self.consumers)
            for number in range(count):
                area[number * SIZE] = number
                buf = inventory.buf_get_by_data(mmap, base + number * SIZE, SIZE)
                task = producer.send_task_alloc_init(buf, self.consumers[0])
                task.as_task().set_user_data(number)
                while True:
                    try:
                        task.as_task().submit()
                    except Again:
                        self.pe.progress()
                    else:
                        break
            self.spin_until(lambda: self.sent + self.failed == count)
            self.down("producer", producer.as_ctx())
            producer.destroy()
        print("sent %d buffers, failed %d" % (self.sent, self.failed))
        self.spin_until(lambda: self.gone)
        print("remote gone", self.gone == self.consumers)
        self.down("client", client.as_ctx())
        client.destroy()
        self.close()


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-l", "--listen", action="store_true")
    parser.add_argument("-n", "--count", type=int, default=6)
    options = parser.parse_args(argv)
    side = Sink() if options.listen else Source()
    side.run(options.count)
    print("done")


if __name__ == "__main__":
    main()
