"""Pump messages through asyncio: a reader on the receive descriptor feeds a queue, a worker answers."""
import asyncio
import sys

import doca_comm_channel as cc


class Pump:
    def __init__(self, ep):
        self.ep = ep
        self.inbox = asyncio.Queue()
        self.send_fd, self.recv_fd = ep.get_event_channel()
        self.loop = asyncio.get_running_loop()

    def start(self):
        self.loop.add_reader(self.recv_fd, self._drain)
        self._drain()

    def stop(self):
        self.loop.remove_reader(self.recv_fd)

    def _drain(self):
        while True:
            try:
                self.inbox.put_nowait(self.ep.recvfrom(4080))
            except cc.Again:
                self.ep.event_handle_arm_recv()
                return

    async def send(self, data, peer):
        while True:
            try:
                self.ep.sendto(data, peer)
                return
            except cc.Again:
                self.ep.event_handle_arm_send()
                await self._writable()

    async def _writable(self):
        ready = self.loop.create_future()
        self.loop.add_reader(self.send_fd, lambda: ready.done() or ready.set_result(None))
        try:
            await ready
        finally:
            self.loop.remove_reader(self.send_fd)


async def worker(pump):
    total = 0
    while True:
        data, peer = await pump.inbox.get()
        if not data.isdigit():
            await pump.send(b"sum %d" % total, peer)
            return total
        total += int(data)
        if total % 10 == 0:
            print("so far", total)
        await pump.send(data * 2, peer)


async def main():
    with cc.open_device("03:00.0") as dev, dev.open_representor("b1:00.0") as rep:
        ep = cc.Endpoint()
        ep.set_device(dev)
        ep.set_device_rep(rep)
        ep.set_send_queue_size(8)
        ep.listen("asyncio_pump")
        pump = Pump(ep)
        pump.start()
        print("listening")
        try:
            total = await asyncio.wait_for(worker(pump), timeout=60)
        except asyncio.TimeoutError:
            print("nobody came")
            return 3
        finally:
            pump.stop()
        print("total", total)
        await asyncio.sleep(0)
        ep.destroy()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
