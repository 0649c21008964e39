"""A chat hub on the DPU, on asyncio: one reader, broadcast to everybody but the sender."""
import asyncio
import contextlib

import doca_comm_channel as cc


class Hub:
    def __init__(self, loop, expected):
        self.loop = loop
        self.expected = expected
        self.names = {}
        self.left = 0
        self.done = loop.create_future()
        self.backlog = asyncio.Queue()

    async def __aenter__(self):
        self.dev = cc.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.ep = ep = cc.Endpoint()
        ep.set_device(self.dev)
        ep.set_device_rep(self.rep)
        ep.listen("chat")
        _, self.recv_fd = ep.get_event_channel()
        self.loop.add_reader(self.recv_fd, self.on_readable)
        self.sender = asyncio.create_task(self.send_all())
        self.on_readable()
        return self

    async def __aexit__(self, *exc):
        self.loop.remove_reader(self.recv_fd)
        self.sender.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.sender
        self.ep.destroy()
        self.rep.close()
        self.dev.close()

    def on_readable(self):
        try:
            while True:
                self.on_message(*self.ep.recvfrom(1024))
        except cc.Again:
            self.ep.event_handle_arm_recv()
        except cc.ConnectionReset as error:
            self.ep.disconnect(error.connection)
            self.loop.call_soon(self.on_readable)
            return
        # something may have come before the handle was armed
        try:
            self.on_message(*self.ep.recvfrom(1024))
        except cc.Again:
            pass
        else:
            self.loop.call_soon(self.on_readable)

    def on_message(self, data, peer):
        verb, _, rest = data.decode().partition(" ")
        if verb == "JOIN":
            self.names[rest] = peer
            self.backlog.put_nowait(("welcome %s, you are %d" % (rest, len(self.names)), peer))
        elif verb == "SAY":
            name = next(n for n, p in self.names.items() if p is peer)
            for other, address in self.names.items():
                if address is not peer:
                    self.backlog.put_nowait((f"<{name}> {rest}", address))
        elif verb == "QUIT":
            self.backlog.put_nowait(("bye", peer))
            self.left += 1
            if self.left == self.expected:
                self.loop.call_later(0.05, self.done.set_result, sorted(self.names))

    async def send_all(self):
        while True:
            text, peer = await self.backlog.get()
            while True:
                try:
                    self.ep.sendto(text.encode(), peer)
                    break
                except cc.Again:
                    await asyncio.sleep(0.001)
            self.backlog.task_done()


async def main():
    async with Hub(asyncio.get_running_loop(), 2) as hub:
        print("listening", flush=True)
        names = await asyncio.wait_for(hub.done, 60)
        await hub.backlog.join()
        while any(p.update_info() or p.get_send_in_flight_messages() for p in hub.names.values()):
            await asyncio.sleep(0.001)
    print("were here:", *names)


asyncio.run(main())
