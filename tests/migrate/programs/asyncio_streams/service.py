"""Word counts on the DPU: each client has a task of its own, which ends when the client has left."""
import asyncio
import collections
import sys

import doca_comm_channel as cc
from streams import start_service


class Session:
    def __init__(self, number, stream, peer):
        self.number, self.stream, self.peer = number, stream, peer
        self.inbox = asyncio.Queue()
        self.task = asyncio.create_task(self.run())

    async def run(self):
        words = collections.Counter()
        while (line := await self.inbox.get()) is not None:
            text = line.decode()
            if text == "?":
                most = sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:2]
                await self.stream.send(repr(most).encode(), self.peer)
            else:
                words.update(text.split())
        return sum(words.values())


class Service:
    def __init__(self, stream):
        self.stream = stream
        self.sessions = {}
        self.totals = []
        self.gone = asyncio.Event()
        self.service_fd = stream.ep.get_service_event_channel()
        asyncio.get_running_loop().add_reader(self.service_fd, self.on_service_event)

    def on_service_event(self):
        ep = self.stream.ep
        try:
            ep.update_service_state_info()
        except cc.Again:
            return
        here = {peer.get_user_data() for peer in ep.get_peer_addr_list()}
        for number in [number for number in self.sessions if number not in here]:
            self.sessions[number].inbox.put_nowait(None)
            self.totals.append(self.sessions.pop(number).task)
        if self.totals and not self.sessions:
            self.gone.set()

    async def pump(self):
        while True:
            line, peer = await self.stream.recv()
            number = peer.get_user_data()
            if number not in self.sessions:
                number = 1 + len(self.sessions) + len(self.totals)
                peer.set_user_data(number)
                self.sessions[number] = Session(number, self.stream, peer)
            self.sessions[number].inbox.put_nowait(line)

    async def run(self):
        pump = asyncio.create_task(self.pump())
        await asyncio.wait_for(self.gone.wait(), 60)
        pump.cancel()
        await asyncio.gather(pump, return_exceptions=True)
        asyncio.get_running_loop().remove_reader(self.service_fd)
        return sorted(await asyncio.gather(*self.totals))


async def main():
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    stream = start_service(dev, rep, "words")
    print("listening", flush=True)
    print("words", await Service(stream).run())
    stream.ep.destroy()
    rep.close()
    dev.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
