"""A pump thread turns the engine; workers answer through a queue that the pump empties."""

import functools
import queue
import threading

import doca_cc as cc


class Pump(threading.Thread):
    def __init__(self, pe):
        super().__init__(daemon=True)
        self.pe = pe
        self.todo = queue.Queue()
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.is_set():
            while True:
                try:
                    call = self.todo.get_nowait()
                except queue.Empty:
                    break
                call()
            self.pe.progress()


class Service:
    def __init__(self, dev, rep):
        self.pe = cc.ProgressEngine()
        self.pump = Pump(self.pe)
        self.requests = queue.Queue()
        self.left = threading.Event()
        self.lock = threading.Lock()
        self.served = {}
        self.server = cc.Server(dev, rep, "upper")
        self.server.task_send_set_conf(self.free, self.free, 32)
        self.server.event_msg_recv_register(self.on_message)
        self.server.event_connection_register(self.on_up, self.on_down)
        self.pe.connect_ctx(self.server.as_ctx())

    def free(self, task, name, ctx_user_data):
        with self.lock:
            self.served[name] = self.served.get(name, 0) + 1
        task.as_task().free()

    def on_message(self, event, data, size, connection):
        self.requests.put((connection, data))

    def on_up(self, event, connection, ok):
        pass

    def on_down(self, event, connection, ok):
        self.left.set()

    def answer(self, connection, data):
        task = self.server.task_send_alloc_init(connection, data)
        task.as_task().set_user_data("worker")
        task.as_task().submit()

    def work(self):
        while True:
            request = self.requests.get()
            if request is None:
                return
            connection, data = request
            self.pump.todo.put(functools.partial(self.answer, connection, data.upper()))

    def serve(self):
        workers = [threading.Thread(target=self.work) for _ in range(3)]
        self.server.as_ctx().start()
        print("listening", flush=True)
        self.pump.start()
        for worker in workers:
            worker.start()
        self.left.wait(60)
        for _ in workers:
            self.requests.put(None)
        for worker in workers:
            worker.join()
        self.pump.stopping.set()
        self.pump.join()
        self.server.as_ctx().stop()
        self.server.destroy()
        self.pe.destroy()
        print(self.served)


with cc.open_device("03:00.0") as dev, dev.open_representor("b1:00.0") as rep:
    Service(dev, rep).serve()
