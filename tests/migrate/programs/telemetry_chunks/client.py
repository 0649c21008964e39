"""Pull three tables and one that is not there."""
import struct
import sys
import time

import doca_comm_channel as cc

FRAME = struct.Struct("!HIIB")
STATUS = {0: "more", 1: "last", 2: "busy", 3: "unknown"}


class Collector:
    def __init__(self, pci="b1:00.0"):
        self.device = cc.open_device(pci)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.device)
        self.ep.set_recv_queue_size(8)
        self.ep.set_max_msg_size(96)
        self.conn = self.ep.connect("telemetry")

    def __enter__(self):
        for _ in range(500000):
            try:
                self.conn.update_info()
            except cc.ConnectionInprogress:
                time.sleep(1e-4)
            else:
                return self
        raise TimeoutError("handshake")

    def __exit__(self, *exc):
        self.ep.disconnect(self.conn)
        self.ep.destroy()
        self.device.close()

    def request(self, number):
        self.ep.sendto(struct.pack("!H", number), self.conn)

    def frame(self):
        for _ in range(500000):
            try:
                return self.ep.recvfrom(96)[0]
            except cc.Again:
                time.sleep(1e-4)
        raise TimeoutError("frame")

    def pull(self, number):
        self.request(number)
        body, frames = bytearray(), 0
        while True:
            data = self.frame()
            frames += 1
            request, offset, total, status = FRAME.unpack_from(data)
            if request != number or offset != len(body):
                raise ValueError(f"frame out of turn: {request} {offset}")
            body += data[FRAME.size:]
            if STATUS[status] != "more":
                return bytes(body), frames, STATUS[status]


def main():
    with Collector() as collector:
        for number in (1, 2, 9, 3):
            body, frames, status = collector.pull(number)
            print(f"table {number}: {len(body)} bytes in {frames} frames, {status}, checksum {sum(body) % 1000}")
        collector.request(0)
        print("goodbye", collector.frame())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (TimeoutError, ValueError) as error:
        sys.exit(str(error))
    except cc.DocaError as error:
        sys.exit(error.name)
