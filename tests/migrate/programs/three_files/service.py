import sys

from doca_comm_channel import DocaError
from net.framed import Framed


class Counter(Framed):
    """Counts the words of texts."""

    def __init__(self, pci, rep_pci):
        Framed.__init__(self, pci)
        self.rep = self.dev.open_representor(rep_pci)
        self.ep.set_device_rep(self.rep)

    def listen(self, name):
        self.ep.listen(name)
        print("listening; messages of", self.ep.get_max_msg_size(), "queues of", self.ep.get_recv_queue_size())
        return self

    def run(self):
        while True:
            kind, text = self.get()
            if kind == b"q":
                self.put(b"q", b"")
                return
            count = len(text.split())
            print("text of", len(text), "bytes,", count, "words")
            self.put(b"n", b"%d" % count)

    def close(self):
        rep, self.rep = self.rep, None
        super().close()
        rep.close()


try:
    counter = Counter("03:00.0", "b1:00.0").listen("three_files")
    counter.run()
    counter.close()
except DocaError as error:
    print(error.name)
    sys.exit(1)
