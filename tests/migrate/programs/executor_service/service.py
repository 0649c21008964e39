import asyncio
import concurrent.futures
import functools
import doca_comm_channel as cc


class Service:
    def __init__(self, loop):
        self.loop = loop
        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=2, thread_name_prefix="cc")
        self.guard = asyncio.Lock()
        self.sessions = {}

    async def __aenter__(self):
        self.dev = await self.loop.run_in_executor(self.pool, cc.open_device, "03:00.0")
        self.rep = await self.loop.run_in_executor(self.pool, self.dev.open_representor, "b1:00.0")
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_device_rep(self.rep)
        self.ep.set_max_msg_size(512)
        await self.loop.run_in_executor(self.pool, self.ep.listen, "aio-old")
        self.send_fd, self.recv_fd = self.ep.get_event_channel()
        return self

    async def __aexit__(self, *exc_info):
        await self.loop.run_in_executor(self.pool, self.ep.destroy)
        self.rep.close()
        self.dev.close()
        self.pool.shutdown()

    async def readable(self):
        event = asyncio.Event()
        self.loop.add_reader(self.recv_fd, event.set)
        try:
            await event.wait()
        finally:
            self.loop.remove_reader(self.recv_fd)

    async def messages(self):
        while True:
            try:
                async with self.guard:
                    data, peer = await self.loop.run_in_executor(self.pool, self.ep.recvfrom, 512)
            except cc.Again:
                self.ep.event_handle_arm_recv()
                await self.readable()
                continue
            yield data, peer

    async def reply(self, data, peer):
        while True:
            async with self.guard:
                try:
                    await self.loop.run_in_executor(self.pool, functools.partial(self.ep.sendto, data, peer, flags=0))
                    return len(data)
                except cc.Again:
                    pass
            await asyncio.sleep(0)


async def main():
    async with Service(asyncio.get_running_loop()) as service:
        print("listening", flush=True)
        pending = set()
        async for data, peer in service.messages():
            text = data.decode()
            print("got", text)
            if text == "bye":
                break
            await asyncio.gather(*pending)
            pending = {asyncio.ensure_future(service.reply(text.upper().encode(), peer))}
        print("replied", sum(await asyncio.gather(*pending)))
        service.ep.disconnect(peer)


asyncio.run(main())
