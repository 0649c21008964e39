"""Two chatters in one loop; each has an endpoint."""
import asyncio

import doca_comm_channel as cc


class Chatter:
    def __init__(self, name, dev):
        self.name = name
        self.ep = cc.Endpoint()
        self.ep.set_device(dev)
        self.lines = asyncio.Queue()

    async def join(self):
        self.peer = self.ep.connect("chat")
        while True:
            try:
                self.peer.update_info()
            except cc.ConnectionInprogress:
                await asyncio.sleep(0.001)
            else:
                break
        self.fds = self.ep.get_event_channel()
        asyncio.get_running_loop().add_reader(self.fds[1], self.drain)
        self.drain()
        await self.tell("JOIN " + self.name)
        return await self.hear()

    def drain(self):
        for _ in range(2):
            while True:
                try:
                    data, peer = self.ep.recvfrom(1024)
                except cc.Again:
                    break
                assert peer is self.peer
                self.lines.put_nowait(data.decode())
            self.ep.event_handle_arm_recv()

    async def tell(self, text):
        while True:
            try:
                return self.ep.sendto(text.encode(), self.peer)
            except cc.Again:
                await asyncio.sleep(0.001)

    async def hear(self):
        return await asyncio.wait_for(self.lines.get(), 60)

    async def quit(self):
        await self.tell("QUIT")
        last = await self.hear()
        asyncio.get_running_loop().remove_reader(self.fds[1])
        self.ep.disconnect(self.peer)
        self.ep.destroy()
        return last


async def main():
    dev = cc.open_device("b1:00.0")
    ann, bob = Chatter("ann", dev), Chatter("bob", dev)
    print(await ann.join())
    print(await bob.join())
    await ann.tell("SAY hi bob")
    print("bob hears", await bob.hear())
    await bob.tell("SAY hi ann")
    await bob.tell("SAY how are you?")
    print("ann hears", await ann.hear(), "|", await ann.hear())
    print(await asyncio.gather(ann.quit(), bob.quit()))
    dev.close()


asyncio.run(main())
