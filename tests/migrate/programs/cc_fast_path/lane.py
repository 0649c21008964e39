"""What both ends do on an established connection: a consumer, a producer, one text each way (DOCA 2.6)."""

import doca_cc as cc

SIZE = 4096
TASKS = 4


class Lane:
    def __init__(self, context, dev, pe, text):
        self.context, self.dev, self.pe, self.text = context, dev, pe, text
        self.remote = None
        self.sent = self.received = False
        self.running = 0
        self.stopped = 0
        self.log = []
        context.event_consumer_register(self.on_new, self.on_expired)

    def on_new(self, event, connection, consumer_id):
        print("new consumer", consumer_id > 0)
        self.remote = consumer_id

    def on_expired(self, event, connection, consumer_id):
        print("expired consumer", consumer_id == self.remote)
        self.remote = None

    def open(self, connection):
        self.memory = bytearray(2 * SIZE)
        self.mmap = cc.Mmap()
        self.mmap.set_memrange(self.memory, len(self.memory))
        self.mmap.set_permissions(cc.DOCA_ACCESS_FLAG_PCI_READ_WRITE)
        self.mmap.add_dev(self.dev)
        self.mmap.start()
        self.base, length = self.mmap.get_memrange()
        print("memory", length)
        self.inventory = cc.BufInventory(num_elements=2)
        self.inventory.start()
        self.consumer = cc.Consumer(connection, self.mmap)
        self.consumer.task_post_recv_set_conf(self.on_recv, self.on_failed, TASKS)
        self.producer = cc.Producer(connection)
        self.producer.task_send_set_conf(self.on_sent, self.on_failed, num_send_tasks=TASKS)
        for ctx in (self.consumer.as_ctx(), self.producer.as_ctx()):
            ctx.set_user_data(self)
            ctx.set_state_changed_cb(self.on_state)
            self.pe.connect_ctx(ctx)
            ctx.start()
        while self.running < 2 or self.remote is None:
            self.pe.progress()
        buf = self.inventory.buf_get_by_addr(self.mmap, self.base, SIZE)
        self.consumer.task_post_recv_alloc_init(buf).as_task().submit()

    def on_state(self, lane, ctx, before, after):
        if after == cc.DOCA_CTX_STATE_RUNNING:
            lane.running += 1
        elif after == cc.DOCA_CTX_STATE_IDLE:
            lane.stopped += 1

    def send(self):
        self.memory[SIZE : SIZE + len(self.text)] = self.text
        buf = self.inventory.buf_get_by_data(self.mmap, self.base + SIZE, len(self.text))
        task = self.producer.task_send_alloc_init(buf, self.remote)
        assert task.get_consumer_id() == self.remote
        while True:
            try:
                task.as_task().submit()
                break
            except cc.Again:
                self.pe.progress()

    def on_sent(self, task, task_user_data, lane):
        self.log.append(f"sent {task.get_buf().get_data_len()} {lane is self}")
        self.give_back(task)
        self.sent = True

    def on_recv(self, task, task_user_data, lane):
        buf = task.get_buf()
        start = buf.get_data() - self.base
        data = bytes(self.memory[start : start + buf.get_data_len()])
        self.log.append(f"received {data} {task.get_producer_id() > 0}")
        self.give_back(task)
        self.received = True

    def on_failed(self, task, task_user_data, lane):
        print("failed", cc.code_name(task.as_task().get_status()))
        self.give_back(task)

    def give_back(self, task):
        task.get_buf().dec_refcount()
        task.as_task().free()

    def close(self):
        for ctx in [self.producer.as_ctx(), self.consumer.as_ctx()]:
            ctx.stop()
        while self.stopped < 2:
            self.pe.progress()
        self.producer.destroy()
        self.consumer.destroy()
        print(*sorted(self.log), sep="\n")
        print("free buffers", self.inventory.get_num_free_elements(), "of", self.inventory.get_num_elements())
        self.inventory.destroy()
        self.mmap.destroy()
