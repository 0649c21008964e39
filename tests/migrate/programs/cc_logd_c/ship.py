#!/usr/bin/env python3
"""Ships log lines to the DPU with as many tasks as the depth allows."""

from dpu import *


class Shipper(object):
    depth_log = 2

    def __init__(self, name, loop, card):
        self.loop, self.card = loop, card
        self.waiting = 0
        self.dropped = 0
        self.done = False
        code, self.client = doca_cc_client_create(card.dev, name)
        must(code, "doca_cc_client_create")
        self.ctx = doca_cc_client_as_ctx(self.client)
        must(doca_pe_connect_ctx(loop.handle, self.ctx), "connect_ctx")
        must(doca_cc_client_set_max_msg_size(self.client, 512), "max_msg_size")
        must(doca_cc_client_send_task_set_conf(self.client, self.sent, self.lost, self.depth_log), "conf")
        must(doca_cc_client_event_msg_recv_register(self.client, self.answer), "msg")
        code = doca_ctx_start(self.ctx)
        if code != DOCA_ERROR_IN_PROGRESS:
            must(code, "start")
        code, state = doca_ctx_get_state(self.ctx)
        while state == DOCA_CTX_STATE_STARTING:
            loop.turn()
            code, state = doca_ctx_get_state(self.ctx)
        code, self.connection = doca_cc_client_get_connection(self.client)
        must(code, "get_connection")

    def sent(self, task, number, ctx_data):
        self.waiting -= 1
        doca_task_free(doca_cc_send_task_as_task(task))

    def lost(self, task, number, ctx_data):
        self.dropped += 1
        self.sent(task, number, ctx_data)

    def answer(self, event, text, size, connection):
        self.done = text[:size] == b"BYE"

    def ship(self, number, text):
        while self.waiting == 1 << self.depth_log:
            self.loop.turn()
        code, task = doca_cc_client_send_task_alloc_init(self.client, self.connection, text, len(text))
        must(code, "alloc")
        generic = doca_cc_send_task_as_task(task)
        doca_task_set_user_data(generic, number)
        must(doca_task_submit(generic), "submit")
        self.waiting += 1

    def close(self):
        while self.waiting or not self.done:
            self.loop.turn()
        print("%d messages, %d bytes" % tuple(counters(self.connection)[:2]))
        if doca_ctx_stop(self.ctx) == DOCA_ERROR_IN_PROGRESS:
            self.loop.drain(self.ctx)
        must(doca_cc_client_destroy(self.client), "destroy")


loop = Loop()
card = Card("b1:00.0")
shipper = Shipper("logd", loop, card)
lines = [b"HELLO:alpha"] + [b"line %d of 3" % n for n in range(3)]
for number, line in enumerate(lines):
    shipper.ship(number, line)
shipper.close()
print("dropped", shipper.dropped, "of", len(lines), "depth", 1 << shipper.depth_log)
loop.close()
card.close()
