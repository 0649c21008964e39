"""Frames with a length and a kind, cut to the size of messages."""
import struct

from .base import Base

HEAD = struct.Struct("!cI")


class Framed(Base):
    max_msg_size = 100

    def configure(self):
        super().configure()
        self.ep.set_recv_queue_size(self.queue)
        self.ep.set_send_queue_size(self.queue)

    @property
    def queue(self):
        return 8

    def put(self, kind, payload):
        self.send(HEAD.pack(kind, len(payload)))
        size = self.ep.get_max_msg_size()
        for start in range(0, len(payload), size):
            self.send(payload[start:start + size])

    def get(self):
        kind, length = HEAD.unpack(self.receive())
        payload = b""
        while len(payload) < length:
            payload += self.receive()
        return kind, payload
