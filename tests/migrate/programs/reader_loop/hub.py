"""A chat hub on the DPU in asyncio: the event channel's descriptors are readers of the loop."""
import asyncio
import functools
import sys

import doca_comm_channel as cc

ROOM = "reader-loop"


class Hub:
    def __init__(self, loop):
        self.loop = loop
        self.device = cc.open_device("03:00.0")
        self.rep = self.device.open_representor("b1:00.0")
        self.ep = cc.Endpoint()
        self.ep.set_device(self.device)
        self.ep.set_device_rep(self.rep)
        self.ep.set_send_queue_size(16)
        self.names = {}
        self.backlog = []
        self.done = loop.create_future()

    def start(self):
        self.ep.listen(ROOM)
        self.send_fd, self.recv_fd = self.ep.get_event_channel()
        self.loop.add_reader(self.recv_fd, self.readable)
        self.loop.add_reader(self.send_fd, functools.partial(self.writable, retry=True))
        self.ep.event_handle_arm_recv()

    def readable(self):
        """Take all there is, then wait for more."""
        while not self.done.done():
            try:
                data, peer = self.ep.recvfrom(1024)
            except cc.Again:
                break
            except cc.ConnectionReset as lost:
                self.names.pop(lost.connection, None)
                self.ep.disconnect(lost.connection)
            else:
                self.loop.call_soon(self.said, peer, data.decode())
        self.ep.event_handle_arm_recv()

    def said(self, peer, text):
        word, _, rest = text.partition(" ")
        if word == "/nick":
            old, self.names[peer] = self.names.get(peer), rest
            print(f"{rest} joins" if old is None else f"{old} is now {rest}")
            self.tell(peer, f"welcome {rest}, {len(self.names)} here")
        elif word == "/part":
            name = self.names.pop(peer)
            print(name, "leaves")
            self.everyone(f"{name} left")
            self.tell(peer, "bye")
            if not self.names:
                self.loop.call_later(0, self.finish)
        else:
            print(f"<{self.names[peer]}> {text}")
            self.everyone(f"<{self.names[peer]}> {text}")

    def everyone(self, text):
        for peer in self.names:
            self.tell(peer, text)

    def tell(self, peer, text):
        self.backlog.append((text.encode(), peer))
        self.writable()

    def writable(self, retry=False):
        while self.backlog:
            data, peer = self.backlog[0]
            try:
                self.ep.sendto(data, peer)
            except cc.Again:
                self.ep.event_handle_arm_send()
                return
            self.backlog.pop(0)

    def finish(self):
        if not self.done.done():
            self.done.set_result(len(self.backlog))

    def stop(self):
        self.loop.remove_reader(self.recv_fd)
        self.loop.remove_reader(self.send_fd)
        self.ep.destroy()
        self.rep.close()
        self.device.close()


async def main():
    hub = Hub(asyncio.get_running_loop())
    hub.start()
    print("listening")
    try:
        left = await asyncio.wait_for(hub.done, 60)
    except asyncio.TimeoutError:
        print("nobody came")
        return 1
    finally:
        hub.stop()
    print("left over:", left)
    return 0


sys.exit(asyncio.run(main()))
