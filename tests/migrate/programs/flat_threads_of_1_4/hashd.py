"""A daemon that hashes what clients send: one thread reads, two work, one answers; a lock guards the endpoint."""
import logging
import queue
import threading
import time
import zlib

import doca_comm_channel as cc

log = logging.getLogger("hashd")


class ChannelError(Exception):
    pass


class HashDaemon:
    MAX_SIZE = 256

    def __init__(self, name, clients):
        self.name, self.left = name, clients
        self.jobs, self.answers = queue.Queue(), queue.Queue()
        self.lock = threading.Lock()
        self.handled = 0
        attr = cc.doca_comm_channel_init_attr()
        attr.flags = 0
        attr.maxmsgs = 64
        attr.msgsize = self.MAX_SIZE
        self.ep = self.check("create", *cc.doca_comm_channel_ep_create(attr))

    @staticmethod
    def check(what, rc, *values):
        if rc != cc.DOCA_SUCCESS:
            raise ChannelError("%s: %s" % (what, rc))
        return values[0] if len(values) == 1 else values

    def poll(self):
        """One message and its sender, None when nothing waits."""
        with self.lock:
            rc, data, size, peer = cc.doca_comm_channel_ep_recvfrom(self.ep, self.MAX_SIZE, cc.DOCA_CC_MSG_FLAG_DONTWAIT)
        if rc == cc.DOCA_ERROR_AGAIN:
            return None
        self.check("recvfrom", rc)
        return data[:size], peer

    def read(self):
        while self.left:
            message = self.poll()
            if message is None:
                time.sleep(0.001)
            elif message[0] == b"quit":
                self.left -= 1
                log.info("a client is done, %d left", self.left)
            else:
                self.jobs.put(message)
        for _ in range(2):
            self.jobs.put(None)

    def work(self):
        while (job := self.jobs.get()) is not None:
            data, peer = job
            number, _, payload = data.partition(b":")
            self.answers.put((number + b":%08x" % zlib.crc32(payload), peer))

    def answer(self):
        while (item := self.answers.get()) is not None:
            text, peer = item
            while True:
                with self.lock:
                    rc = cc.doca_comm_channel_ep_sendto(self.ep, text, len(text), cc.DOCA_CC_MSG_FLAG_DONTWAIT, peer)
                if rc != cc.DOCA_ERROR_AGAIN:
                    break
                time.sleep(0.001)
            self.check("sendto", rc)
            self.handled += 1

    def serve(self):
        self.check("listen", cc.doca_comm_channel_ep_listen(self.ep, self.name))
        print("listening", flush=True)
        workers = [threading.Thread(target=self.work) for _ in range(2)]
        answering = threading.Thread(target=self.answer)
        for thread in (*workers, answering):
            thread.start()
        self.read()
        for thread in workers:
            thread.join()
        self.answers.put(None)
        answering.join()
        print("handled", self.handled)

    def close(self):
        self.check("destroy", cc.doca_comm_channel_ep_destroy(self.ep))
        self.ep = None


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    daemon = HashDaemon("hashd", clients=1)
    try:
        daemon.serve()
    finally:
        daemon.close()
