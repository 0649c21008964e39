"""Worker processes on the host, made by fork; each opens a channel of its own."""
import multiprocessing as mp
import signal
import sys
import time

import doca_comm_channel as cc

SERVICE = "forked_workers"
context = mp.get_context("fork")

# of each process of the pool
_ep = None
_peer = None


def retry(busy, function, *args, tries=100000):
    for _ in range(tries):
        try:
            return function(*args)
        except busy:
            time.sleep(1e-4)
    raise TimeoutError(function)


def open_channel():
    device = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(device)
    ep.set_max_msg_size(128)
    peer = ep.connect(SERVICE)
    retry(cc.ConnectionInprogress, peer.update_info)
    return device, ep, peer


def ask(ep, peer, text):
    retry(cc.Again, ep.sendto, text.encode(), peer)
    return retry(cc.Again, ep.recvfrom, 128)[0].decode()


class Worker(context.Process):
    """Asks for the length of words; the answers go back through a pipe."""

    def __init__(self, name, words):
        super().__init__(name=name, daemon=True)
        self.words = words
        self.results, self._sink = context.Pipe(duplex=False)

    def run(self):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        device, ep, peer = open_channel()
        try:
            for word in self.words:
                self._sink.send((word, int(ask(ep, peer, "len " + word))))
            peer.update_info()
            self._sink.send(("sent", peer.get_send_messages()))
        finally:
            ep.disconnect(peer)
            ep.destroy()
            device.close()
            self._sink.close()

    def collect(self):
        self._sink.close()
        collected = {}
        while True:
            try:
                word, length = self.results.recv()
            except EOFError:
                break
            collected[word] = length
        self.join(60)
        return collected


def initialise():
    global _ep, _peer
    _, _ep, _peer = open_channel()


def reverse(word):
    return ask(_ep, _peer, "rev " + word)


def inherited(ep, peer, results):
    """A forked child must not use what its parent opened."""
    for call in (lambda: ep.sendto(b"len x", peer), lambda: ep.recvfrom(128), peer.get_send_messages):
        try:
            results.put(repr(call()))
        except cc.DocaError as error:
            results.put(error.name)


def main():
    workers = [Worker("words", ["a", "bc", "def"]), Worker("more", ["ghij", "klmno"])]
    for worker in workers:
        worker.start()
    for worker in workers:
        print(worker.name, worker.collect(), worker.exitcode)
    with context.Pool(2, initialise) as pool:
        print(pool.map(reverse, ["live", "stop", "drawer"], chunksize=1))
        pool.close()
        pool.join()
    device, ep, peer = open_channel()
    results = context.SimpleQueue()
    child = context.Process(target=inherited, args=(ep, peer, results))
    child.start()
    child.join(60)
    print([results.get() for _ in range(3)], child.exitcode)
    print("parent:", ask(ep, peer, "len parent"))
    print(ask(ep, peer, "end now"))
    ep.disconnect(peer)
    ep.destroy()
    device.close()


if __name__ == "__main__":
    sys.exit(main())
