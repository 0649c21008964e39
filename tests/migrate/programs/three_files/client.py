import sys

import doca_comm_channel as cc
from net.framed import Framed


class Author(Framed):
    queue = 16

    def connect(self, name):
        self.peer = self.ep.connect(name)
        self.attempt(self.peer.update_info, busy=cc.ConnectionInprogress)

    def words(self, text):
        self.put(b"t", text.encode())
        kind, answer = self.get()
        return int(answer) if kind == b"n" else None


author = Author("b1:00.0")
author.connect("three_files")
print(author.words("a short text"))
print(author.words("word " * 250))
print(author.words(""))
author.put(b"q", b"")
print(author.get())
author.peer.update_info()
print("sent", author.peer.get_send_messages(), "received", author.peer.get_recv_messages())
author.close()
print("peer", author.peer)
sys.exit(0)
