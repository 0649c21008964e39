"""Three workers, each a thread with an endpoint of its own; the last message comes from the main thread's."""
import sys
import threading
import time

from doca_comm_channel import Again, ConnectionInprogress, Endpoint, open_device


class Worker(threading.Thread):
    device = None

    def __init__(self, number=0):
        threading.Thread.__init__(self)
        self.number = number
        self.ep = Endpoint()
        self.answer = None

    @property
    def connected(self):
        try:
            self.peer.update_info()
        except ConnectionInprogress:
            return False
        return True

    def open(self):
        self.ep.set_device(self.device)
        self.ep.set_max_msg_size(64)
        self.peer = self.ep.connect("thread_workers")
        end = time.monotonic() + 60
        while not self.connected:
            if time.monotonic() > end:
                raise TimeoutError
            time.sleep(1e-4)

    def ask(self, data):
        self.ep.sendto(data, self.peer)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                return self.ep.recvfrom(64)[0].decode()
            except Again:
                time.sleep(1e-4)

    def run(self):
        self.open()
        self.answer = self.ask(b"%d" % self.number)

    def close(self):
        self.ep.disconnect(self.peer)
        self.ep.destroy()


def main():
    Worker.device = open_device("b1:00.1")
    workers = [Worker(number) for number in (3, 5, 10)]
    for worker in workers:                     # one after the other, so that the service's jobs have an order
        worker.start()
        worker.join(60)
        print(worker.number, "->", worker.answer)
    last = Worker()
    last.open()
    print(last.ask(b"stop"))
    for worker in [*workers, last]:
        worker.close()
    Worker.device.close()
    return sum(worker.answer is None for worker in workers)


if __name__ == "__main__":
    sys.exit(main())
