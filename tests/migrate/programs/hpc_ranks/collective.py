"""Collectives over the comm channel: rank 0 is the DPU, the other ranks are processes of the host."""
import abc
import operator
import struct
import time
from collections import defaultdict

import doca_comm_channel as dcc

SERVICE = "ranks"
MSG_SIZE = 512
HEAD = struct.Struct("!HBI")  # rank, kind, sequence number
JOIN, REDUCE, GATHER, BCAST, BARRIER, LEAVE, BYE = range(7)
OPS = {"sum": operator.add, "max": max, "min": min}


class CollectiveError(RuntimeError):
    pass


def pack_floats(values):
    return struct.pack("!%dd" % len(values), *values)


def unpack_floats(body):
    return list(struct.unpack("!%dd" % (len(body) // 8), body))


class Communicator(abc.ABC):
    def __init__(self, device, rank, size):
        self.rank, self.size = rank, size
        self.sequence = 0
        self.device = device
        self.ep = dcc.Endpoint()
        self.ep.set_device(device)
        self.ep.set_max_msg_size(MSG_SIZE)
        self.ep.set_send_queue_size(32)
        self.ep.set_recv_queue_size(32)

    def _push(self, peer, kind, body=b""):
        frame = HEAD.pack(self.rank, kind, self.sequence) + body
        while True:
            try:
                self.ep.sendto(frame, peer)
            except dcc.Again:
                time.sleep(0)
            else:
                return

    def _pull(self):
        """Return rank, kind, sequence number, body and sender of the next frame."""
        give_up = time.monotonic() + 60
        while time.monotonic() < give_up:
            try:
                frame, peer = self.ep.recvfrom(MSG_SIZE)
            except dcc.Again:
                time.sleep(0.0002)
                continue
            return HEAD.unpack_from(frame) + (frame[HEAD.size:], peer)
        raise CollectiveError("rank %d waited too long" % self.rank)

    def _expect(self, kind):
        _, got, sequence, body, _ = self._pull()
        if (got, sequence) != (kind, self.sequence):
            raise CollectiveError("out of step: kind %d sequence %d" % (got, sequence))
        return body

    def allreduce(self, values, op="sum"):
        self.sequence += 1
        return unpack_floats(self._allreduce(pack_floats(values), OPS[op]))

    def barrier(self):
        self.allreduce([0.0], "max")

    @abc.abstractmethod
    def _allreduce(self, mine, fold):
        """Combine what all ranks bring."""

    @abc.abstractmethod
    def finalize(self):
        """Leave the communicator."""


class Root(Communicator):
    def __init__(self, device, representor, size):
        super().__init__(device, 0, size)
        self.ep.set_device_rep(representor)
        self.representor = representor
        self.peers = {}
        self.early = defaultdict(dict)
        self.ep.listen(SERVICE)

    def wait_for_ranks(self):
        while len(self.peers) < self.size - 1:
            rank, kind, sequence, body, peer = self._pull()
            if kind == JOIN:
                peer.set_user_data(rank)
                self.peers[rank] = peer
            else:
                self.early[sequence][rank] = body

    def _collect(self):
        bodies = self.early.pop(self.sequence, {})
        while len(bodies) < len(self.peers):
            rank, _, sequence, body, peer = self._pull()
            assert peer.get_user_data() == rank
            (bodies if sequence == self.sequence else self.early[sequence])[rank] = body
        return bodies

    def _spread(self, kind, body):
        for rank in sorted(self.peers):
            self._push(self.peers[rank], kind, body)

    def _allreduce(self, mine, fold):
        total = unpack_floats(mine)
        bodies = self._collect()
        for rank in sorted(bodies):
            total = [fold(a, b) for a, b in zip(total, unpack_floats(bodies[rank]))]
        result = pack_floats(total)
        self._spread(REDUCE, result)
        return result

    def gather(self, text):
        self.sequence += 1
        bodies = self._collect()
        return [text] + [bodies[rank].decode() for rank in sorted(bodies)]

    def bcast(self, text):
        self.sequence += 1
        self._spread(BCAST, text.encode())
        return text

    def counts(self):
        for rank, peer in sorted(self.peers.items()):
            peer.update_info()
            yield rank, peer.get_recv_messages(), peer.get_send_messages()

    def finalize(self):
        self.sequence += 1
        self._collect()
        table = list(self.counts())
        self._spread(BYE, b"")
        for peer in self.peers.values():
            self.ep.disconnect(peer)
        self.ep.destroy()
        self.representor.close()
        self.device.close()
        return table


class Leaf(Communicator):
    def __init__(self, device, rank, size):
        super().__init__(device, rank, size)
        self.root = self.ep.connect(SERVICE)
        while True:
            try:
                self.root.update_info()
                break
            except dcc.ConnectionInprogress:
                time.sleep(0.0002)
        self._push(self.root, JOIN)

    def _allreduce(self, mine, fold):
        self._push(self.root, REDUCE, mine)
        return self._expect(REDUCE)

    def gather(self, text):
        self.sequence += 1
        self._push(self.root, GATHER, text.encode())

    def bcast(self, text=None):
        self.sequence += 1
        return self._expect(BCAST).decode()

    def finalize(self):
        self.sequence += 1
        self._push(self.root, LEAVE)
        self._expect(BYE)
        self.ep.disconnect(self.root)
        self.ep.destroy()
        self.device.close()
