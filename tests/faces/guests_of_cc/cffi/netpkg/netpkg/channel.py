import collections

from netpkg.native import cc, check, core, ffi, first, made

RUNNING, IDLE = 2, 0


class Channel:
    """A connected end; one per process is what the team needs."""

    def __init__(self, side):
        self.side = side
        self.inbox = collections.deque()
        self.peer, self.closed_by_peer = None, False
        self.me = ffi.new_handle(self)
        self.dev = first("doca_devinfo", core.doca_devinfo_create_list, core.doca_devinfo_destroy_list,
                         lambda info: made("doca_dev", core.doca_dev_open, info),
                         lambda info: self.of_side("doca_cc_cap_%s_is_supported")(info) == 0)
        self.pe = made("doca_pe", core.doca_pe_create)
        # a function for each object: the closures are the user data here
        self.callbacks = [ffi.callback("completion", self.on_sent), ffi.callback("message", self.on_message),
                          ffi.callback("status", self.on_up), ffi.callback("status", self.on_down)]

    def of_side(self, name):
        return getattr(cc, name % self.side)

    def open(self, end):
        self.end, self.ctx = end, self.of_side("doca_cc_%s_as_ctx")(end)
        sent, message, up, down = self.callbacks
        check(core.doca_pe_connect_ctx(self.pe, self.ctx))
        check(core.doca_ctx_set_user_data(self.ctx, self.me))
        check(self.of_side("doca_cc_%s_task_send_set_conf")(end, sent, sent, 64))
        check(self.of_side("doca_cc_%s_event_msg_recv_register")(end, message))
        if self.side == "server":
            check(cc.doca_cc_server_event_connection_register(end, up, down))
        rc = core.doca_ctx_start(self.ctx)
        if rc != 26:
            check(rc)

    def on_sent(self, task, of_task, of_ctx):
        assert ffi.from_handle(of_ctx) is self
        core.doca_task_free(cc.doca_cc_task_send_as_task(task))

    def on_message(self, event, data, size, peer):
        self.inbox.append(bytes(ffi.buffer(data, size)))

    def on_up(self, event, peer, ok):
        self.peer = peer

    def on_down(self, event, peer, ok):
        self.closed_by_peer = True

    @property
    def state(self):
        state = ffi.new("int*")
        check(core.doca_ctx_get_state(self.ctx, state))
        return state[0]

    def until(self, condition):
        while not condition():
            core.doca_pe_progress(self.pe)

    def send(self, data):
        task = made("doca_cc_task_send", self.of_side("doca_cc_%s_task_send_alloc_init"), self.end, self.peer, data,
                    len(data))
        check(core.doca_task_submit(cc.doca_cc_task_send_as_task(task)))

    def recv(self):
        """A message, or b"" when the other side has gone."""
        self.until(lambda: self.inbox or self.closed_by_peer)
        return self.inbox.popleft() if self.inbox else b""

    def close(self):
        if self.state != IDLE:
            core.doca_ctx_stop(self.ctx)
        self.until(lambda: self.state == IDLE)
        check(self.of_side("doca_cc_%s_destroy")(self.end))
        check(core.doca_pe_destroy(self.pe))
        if self.side == "server":
            check(core.doca_dev_rep_close(self.rep))
        check(core.doca_dev_close(self.dev))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def serve(name, announce=print):
    channel = Channel("server")
    channel.rep = first("doca_devinfo_rep", core.doca_devinfo_rep_create_list, core.doca_devinfo_rep_destroy_list,
                        lambda info: made("doca_dev_rep", core.doca_dev_rep_open, info), lambda info: True,
                        channel.dev, 0)
    channel.open(made("doca_cc_server", cc.doca_cc_server_create, channel.dev, channel.rep, name.encode()))
    announce("listening")
    channel.until(lambda: channel.peer)
    return channel


def connect(name):
    channel = Channel("client")
    channel.open(made("doca_cc_client", cc.doca_cc_client_create, channel.dev, name.encode()))
    channel.until(lambda: channel.state in (RUNNING, IDLE))
    if channel.state == IDLE:
        channel.close()
        raise ConnectionRefusedError(name)
    channel.peer = made("doca_cc_connection", cc.doca_cc_client_get_connection, channel.end)
    return channel
