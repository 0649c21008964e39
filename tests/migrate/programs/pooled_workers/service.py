"""A receiver thread, a pool of workers, a sender thread: queues between them, one lock around the endpoint."""
import queue
import threading
import time

import doca_comm_channel as cc


class Pool:
    def __init__(self, ep, size):
        self.ep = ep
        self.lock = threading.Lock()
        self.jobs = queue.Queue(maxsize=4)
        self.done = queue.SimpleQueue()
        self.results = []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.work, name="w%d" % i) for i in range(size)]
        self.threads += [threading.Thread(target=self.transmit), threading.Thread(target=self.listen)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *exc):
        for thread in self.threads:
            thread.join(60)

    def listen(self):
        while not self.stopping.is_set():
            with self.lock:
                try:
                    msg, peer = self.ep.recvfrom(64)
                except cc.Again:
                    msg = None
            if msg is None:
                time.sleep(2e-4)
            elif msg == b"stop":
                self.stopping.set()
            else:
                self.jobs.put((peer, int(msg)))
        for _ in range(len(self.threads) - 2):
            self.jobs.put(None)

    def work(self):
        for peer, number in iter(self.jobs.get, None):
            self.done.put((peer, number, number * number))
        self.done.put(None)

    def transmit(self):
        ends = 0
        while ends < len(self.threads) - 2:
            item = self.done.get()
            if item is None:
                ends += 1
                continue
            peer, number, square = item
            self.results.append(square)
            raw = b"%d %d" % (number, square)
            while True:
                with self.lock:
                    try:
                        self.ep.sendto(raw, peer)
                        break
                    except cc.Again:
                        pass
                time.sleep(1e-4)


def main():
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.listen("workers")
    with Pool(ep, 3) as pool:
        print("listening, pool of 3", flush=True)
    print("results", sorted(pool.results))
    print("workers joined" if not any(t.is_alive() for t in pool.threads) else "workers hang")
    ep.destroy()
    rep.close()
    dev.close()


main()
