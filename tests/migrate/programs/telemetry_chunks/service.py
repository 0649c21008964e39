"""Answer pulls of counters in frames: offset, total, and what fits; one transfer at a time."""
import logging
import struct
import sys
import time

import doca_comm_channel as cc

CAP = 96
FRAME = struct.Struct("!HIIB")  # request, offset, total, status
MORE, LAST, BUSY, UNKNOWN = range(4)

logger = logging.getLogger(__name__)


class Transfer:
    def __init__(self, peer, request, body):
        self.peer, self.request, self.body, self.offset = peer, request, body, 0

    def frames(self):
        room = CAP - FRAME.size
        while True:
            chunk = self.body[self.offset:self.offset + room]
            end = self.offset + len(chunk)
            status = LAST if end == len(self.body) else MORE
            yield FRAME.pack(self.request, self.offset, len(self.body), status) + chunk
            self.offset = end
            if status == LAST:
                return


class Agent:
    def __init__(self, tables):
        if CAP <= FRAME.size:
            raise ValueError("no room beside the header")
        self.tables = tables
        self.active = None
        self.pulls = 0

    def open(self):
        self.dev = cc.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_device_rep(self.rep)
        self.ep.set_max_msg_size(CAP)
        self.ep.set_send_queue_size(8)
        self.ep.listen("telemetry")

    def poll(self):
        """One request or nothing."""
        try:
            data, peer = self.ep.recvfrom(CAP)
        except cc.Again:
            return None
        except cc.ConnectionReset as reset:
            if self.active and self.active.peer is reset.connection:
                self.active = None
            self.ep.disconnect(reset.connection)
            return None
        return struct.unpack("!H", data)[0], peer

    def begin(self, request, peer):
        self.pulls += 1
        if request not in self.tables:
            self.ep.sendto(FRAME.pack(request, 0, 0, UNKNOWN), peer)
            print("pull", request, "unknown")
            return
        if self.active:
            self.ep.sendto(FRAME.pack(request, 0, 0, BUSY), peer)
            return
        self.active = Transfer(peer, request, self.tables[request])
        self.pending = self.active.frames()
        self.frame = next(self.pending)

    def push(self):
        """As much of the active transfer as the queue takes."""
        count = 0
        while self.active:
            try:
                self.ep.sendto(self.frame, self.active.peer)
            except cc.Again:
                return
            count += 1
            self.frame = next(self.pending, None)
            if self.frame is None:
                print("pull", self.active.request, "of", len(self.active.body), "bytes done")
                self.active = None

    def run(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pulled = self.poll()
            if pulled:
                request, peer = pulled
                if request == 0:
                    peer.update_info()
                    logger.info("frames %d", peer.get_send_messages())
                    self.ep.sendto(b"", peer)
                    return 0
                self.begin(request, peer)
            self.push()
            time.sleep(1e-5)
        logger.error("no goodbye")
        return 3

    def close(self):
        self.ep.destroy()
        self.rep.close()
        self.dev.close()


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, level="INFO", format="%(levelname).1s %(message)s")
    agent = Agent({1: bytes(10), 2: bytes(range(250)) * 8, 3: b""})
    agent.open()
    print("listening")
    status = agent.run()
    agent.close()
    print("pulls", agent.pulls)
    sys.exit(status)
