"""The receiving end is a thread, a subclass of Thread with the endpoint on it; the main thread computes."""
import queue
import sys
import threading
import time

import doca_comm_channel as cc


class ReceiverThread(threading.Thread):
    def __init__(self, rep_pci, name, jobs):
        super().__init__(name="receiver", daemon=True)
        self.jobs = jobs
        self.halt = threading.Event()
        self.problem = None
        self.guard = threading.Lock()
        self.dev = cc.open_device("03:00.0")
        self.rep = self.dev.open_representor(rep_pci)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_device_rep(self.rep)
        self.ep.set_recv_queue_size(16)
        self.ep.listen(name)

    def run(self):
        try:
            while not self.halt.is_set():
                try:
                    with self.guard:
                        job = self.ep.recvfrom(64)
                except cc.Again:
                    time.sleep(1e-4)
                else:
                    self.jobs.put(job)
        except cc.DocaError as error:
            self.problem = error.name

    def reply(self, data, peer):
        while True:
            with self.guard:
                try:
                    return self.ep.sendto(data, peer)
                except cc.Again:
                    pass
            time.sleep(1e-4)

    def stop(self):
        self.halt.set()
        self.join(60)
        self.ep.destroy()
        self.rep.close()
        self.dev.close()


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def main():
    jobs = queue.Queue()
    receiver = ReceiverThread("b1:00.1", "thread_workers", jobs)
    receiver.start()
    print("listening on a second function")
    done = 0
    while True:
        try:
            data, peer = jobs.get(timeout=60)
        except queue.Empty:
            print("no more jobs")
            break
        if data == b"stop":
            receiver.reply(b"stopped after %d" % done, peer)
            break
        done += 1
        print("job", data.decode())
        receiver.reply(b"%d" % factorial(int(data)), peer)
    receiver.stop()
    print("receiver alive", receiver.is_alive(), "problem", receiver.problem)
    return 0 if done else 2


if __name__ == "__main__":
    sys.exit(main())
