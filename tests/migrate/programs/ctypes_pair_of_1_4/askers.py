import ctypes
import threading

from doca14 import endpoint, lib, receive, send


class Asker(threading.Thread):
    def __init__(self, numbers):
        super().__init__()
        self.numbers, self.answers = numbers, []
        self.ep, self.server = endpoint(), ctypes.c_void_p()

    def run(self):
        rc = lib.doca_comm_channel_ep_connect(self.ep, b"adder", ctypes.byref(self.server))
        if rc != 0:
            self.answers.append(("connect", rc))
            return
        for number in self.numbers:
            assert send(self.ep, b"%d" % number, self.server) == 0
            rc, data, _ = receive(self.ep)
            self.answers.append(int(data))
        assert send(self.ep, b"end", self.server) == 0
        self.answers.append(receive(self.ep)[1])

    def close(self):
        print(self.answers, lib.doca_comm_channel_ep_disconnect(self.ep, self.server),
              lib.doca_comm_channel_ep_destroy(self.ep))


askers = [Asker(range(1, 4)), Asker(range(10, 40, 10))]
for asker in askers:
    asker.start()
for asker in askers:
    asker.join()
for asker in askers:
    asker.close()
print("to nobody", send(endpoint(), b"x", None))
