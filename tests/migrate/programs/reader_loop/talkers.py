"""Two talkers in one loop, each with an endpoint of its own."""
import asyncio
import sys

from doca_comm_channel import Again, ConnectionInprogress, Endpoint, open_device


class Talker:
    def __init__(self, device, name):
        self.name = name
        self.lines = asyncio.Queue()
        self.endpoint = Endpoint()
        self.endpoint.set_device(device)

    async def join(self):
        self.peer = self.endpoint.connect("reader-loop")
        while True:
            try:
                self.peer.update_info()
                break
            except ConnectionInprogress:
                await asyncio.sleep(0)
        fds = self.endpoint.get_event_channel()
        asyncio.get_running_loop().add_reader(fds[1], self.on_event)
        self.endpoint.event_handle_arm_recv()
        await self.say("/nick " + self.name)

    def on_event(self):
        try:
            while True:
                data, _ = self.endpoint.recvfrom(1024)
                self.lines.put_nowait(data.decode())
        except Again:
            self.endpoint.event_handle_arm_recv()

    async def say(self, text):
        for attempt in range(100):
            try:
                return self.endpoint.sendto(text.encode(), self.peer)
            except Again:
                await asyncio.sleep(0.001 * attempt)

    async def hear(self, until):
        heard = []
        while not heard or not heard[-1].startswith(until):
            heard.append(await asyncio.wait_for(self.lines.get(), 60))
        return heard

    async def part(self):
        await self.say("/part")
        last = await self.hear("bye")
        asyncio.get_running_loop().remove_reader(self.endpoint.get_event_channel()[1])
        self.endpoint.disconnect(self.peer)
        self.endpoint.destroy()
        return last


async def main():
    with open_device("b1:00.0") as device:
        ann, bob = Talker(device, "ann"), Talker(device, "bob")
        await ann.join()
        print(await ann.hear("welcome"))
        await bob.join()
        print(await bob.hear("welcome"))
        await ann.say("hello all")
        for heard in await asyncio.gather(ann.hear("<ann>"), bob.hear("<ann>")):
            print(heard)
        await bob.say("/nick rob")
        print(await bob.hear("welcome"))
        await bob.say("hi ann")
        print(await ann.hear("<rob>"), len(await bob.hear("<rob>")))
        print("ann", await ann.part())
        print("rob", await bob.part())
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
