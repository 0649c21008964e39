#!/usr/bin/env python3
"""Logging daemon on the DPU: prints what hosts ship."""

import signal

from dpu import *


class Daemon(object):
    def __init__(self, name):
        self.log = log_depth()
        self.peers = {}
        self.seen = []
        self.totals = [0, 0]
        self.stop = False
        self.loop = Loop()
        self.card = Card("03:00.0")
        self.rep = self.card.representor()
        code, self.server = doca_cc_server_create(self.card.dev, self.rep, name)
        must(code, "doca_cc_server_create")
        self.ctx = doca_cc_server_as_ctx(self.server)
        must(doca_pe_connect_ctx(self.loop.handle, self.ctx), "connect_ctx")
        must(doca_cc_server_set_max_msg_size(self.server, 512), "max_msg_size")
        must(doca_cc_server_set_recv_queue_size(self.server, 1 << self.log), "queue")
        must(doca_cc_server_send_task_set_conf(self.server, self._sent, self._failed, self.log), "conf")
        must(doca_cc_server_event_msg_recv_register(self.server, self._message), "msg")
        must(doca_cc_server_event_connection_register(self.server, self._joined, self._parted), "conn")

    def _sent(self, task, task_data, ctx_data):
        doca_task_free(doca_cc_send_task_as_task(task))

    _failed = _sent

    def _message(self, event, text, size, connection):
        host = self.peers.setdefault(connection, None)
        word, _, rest = text.partition(b":")
        if word == b"HELLO":
            self.peers[connection] = rest.decode()
            print("[%s] starts" % self.peers[connection])
        else:
            print("[%s] %s" % (host, text.decode()))
        self.totals[0] += 1
        self.totals[1] += size
        if self.totals[0] == 4:
            code, task = doca_cc_server_send_task_alloc_init(self.server, connection, b"BYE", 3)
            must(code, "alloc")
            must(doca_task_submit(doca_cc_send_task_as_task(task)), "submit")

    def _joined(self, event, connection, success):
        if success:
            self.peers[connection] = None
            self.seen.append(len(self.peers))

    def _parted(self, event, connection, success):
        del self.peers[connection]
        self.seen.append(len(self.peers))
        self.stop = True

    def terminate(self, signum, frame):
        self.stop = True

    def run(self):
        must(doca_ctx_start(self.ctx), "start")
        print("listening", flush=True)
        while not self.stop:
            self.loop.turn()
        print("connections %d, then %d" % tuple(self.seen))
        code, depth = doca_cc_server_get_recv_queue_size(self.server)
        must(code, "get queue")
        print("%d messages, %d bytes, depth %d" % (*self.totals, depth))

    def close(self):
        if doca_ctx_stop(self.ctx) == DOCA_ERROR_IN_PROGRESS:
            self.loop.drain(self.ctx)
        must(doca_cc_server_destroy(self.server), "destroy")
        self.loop.close()
        must(doca_dev_rep_close(self.rep), "rep close")
        self.card.close()


def main():
    daemon = Daemon("logd")
    signal.signal(signal.SIGTERM, daemon.terminate)
    try:
        daemon.run()
    finally:
        daemon.close()
    print("stopped")


if __name__ == "__main__":
    main()
