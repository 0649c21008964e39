"""A wrapper as applications write it: bytes in, bytes out, and hooks to override."""

from doca_cc import (
    DOCA_CTX_STATE_IDLE,
    DOCA_CTX_STATE_RUNNING,
    Client,
    DocaError,
    NoMemory,
    ProgressEngine,
    Server,
    open_device,
)


class Channel:
    """One context with its engine. Subclasses make the context."""

    depth = 4
    max_size = 1024

    def __init__(self):
        self._pe = ProgressEngine()
        self._context = None
        self._sent = self._lost = 0

    def _configure(self, context):
        context.set_max_msg_size(self.max_size)
        context.task_send_set_conf(self._on_done, self._on_lost, self.depth)
        context.event_msg_recv_register(self._on_data)
        ctx = context.as_ctx()
        ctx.set_state_changed_cb(self._on_state)
        self._pe.connect_ctx(ctx)
        self._context = context

    def _on_done(self, task, data, user_data):
        self._sent += 1
        task.as_task().free()

    def _on_lost(self, task, data, user_data):
        self._lost += 1
        task.as_task().free()

    def _on_data(self, event, data, length, connection):
        self.received(connection, data)

    def _on_state(self, user_data, ctx, old, new):
        if new == DOCA_CTX_STATE_RUNNING:
            self.opened()

    def send(self, connection, data):
        """Send, and make room first if all tasks are in use."""
        while True:
            try:
                task = self._context.task_send_alloc_init(connection, data).as_task()
            except NoMemory:
                self._pe.progress()
                continue
            task.submit()
            return

    def start(self):
        self._context.as_ctx().start()

    def turn(self):
        return self._pe.progress()

    def close(self):
        ctx = self._context.as_ctx()
        try:
            ctx.stop()
        except DocaError as error:
            print("stop:", error.name)
        while ctx.get_state() != DOCA_CTX_STATE_IDLE:
            self._pe.progress()
        self._context.destroy()
        self._pe.destroy()
        return self._sent, self._lost

    # Hooks

    def opened(self):
        pass

    def received(self, connection, data):
        raise NotImplementedError


class Listener(Channel):
    def __init__(self, pci, rep, name):
        super().__init__()
        self.device = open_device(pci)
        self.rep = self.device.open_representor(rep)
        self.peers = []
        server = Server(self.device, self.rep, name)
        server.event_connection_register(self._on_up, self._on_down)
        self._configure(server)

    def _on_up(self, event, connection, ok):
        self.peers.append(connection)

    def _on_down(self, event, connection, ok):
        self.peers.remove(connection)
        self.left(connection)

    def left(self, connection):
        pass

    def close(self):
        counts = super().close()
        self.rep.close()
        self.device.close()
        return counts


class Dialer(Channel):
    def __init__(self, pci, name):
        super().__init__()
        self.device = open_device(pci)
        self._configure(Client(self.device, name))

    @property
    def connection(self):
        return self._context.get_connection()

    def close(self):
        counts = super().close()
        self.device.close()
        return counts
