"""An asyncio pump: one task receives, one answers, a queue between."""
import asyncio
import contextlib

import comm_channel_compat as channel


async def receive_all(endpoint, queue):
    while True:
        try:
            message, peer = endpoint.recvfrom(4080)
        except channel.Again:
            await asyncio.sleep(0.001)
            continue
        except channel.ConnectionReset as lost:
            print("lost", lost.connection)
            return
        await queue.put((message, peer))


async def answer_all(endpoint, queue):
    while True:
        message, peer = await queue.get()
        with contextlib.suppress(channel.ConnectionReset):
            while True:
                try:
                    endpoint.sendto(message.upper(), peer)
                    break
                except channel.Again:
                    await asyncio.sleep(0)


async def main():
    device = channel.open_device("03:00.0")
    endpoint = channel.Endpoint()
    endpoint.set_device(device)
    endpoint.set_device_rep(device.open_representor("b1:00.1"))
    endpoint.listen("upper")
    queue = asyncio.Queue()
    await asyncio.gather(receive_all(endpoint, queue), answer_all(endpoint, queue))


asyncio.run(main())
