"""The host's end: numbers go out while answers come in, each by a task of its own."""
import asyncio
import contextlib
import sys

from doca_comm_channel import Again, ConnectionInprogress, Endpoint, open_device

COUNT = 24


@contextlib.asynccontextmanager
async def connected(name):
    dev = open_device("b1:00.0")
    ep = Endpoint()
    ep.set_device(dev)
    ep.set_recv_queue_size(8)
    peer = ep.connect(name)
    while True:
        try:
            peer.update_info()
            break
        except ConnectionInprogress:
            await asyncio.sleep(0.001)
    try:
        yield ep, peer
    finally:
        ep.disconnect(peer)
        ep.destroy()
        dev.close()


async def feed(ep, peer):
    for number in range(COUNT):
        while True:
            try:
                ep.sendto(b"%d" % number, peer)
                break
            except Again:
                await asyncio.sleep(0.001)
    return number + 1


async def answers(ep):
    """Each answer, as it comes."""
    loop = asyncio.get_running_loop()
    _, recv_fd = ep.get_event_channel()
    ready = asyncio.Event()
    loop.add_reader(recv_fd, ready.set)
    try:
        while True:
            try:
                data, _ = ep.recvfrom(4080)
            except Again:
                ready.clear()
                ep.event_handle_arm_recv()
                await ready.wait()
            else:
                yield data
    finally:
        loop.remove_reader(recv_fd)


async def collect(ep, feeding, peer):
    doubled = []
    async for data in answers(ep):
        if data.startswith(b"sum"):
            return doubled, data.decode()
        doubled.append(data.decode())
        if len(doubled) == COUNT:
            print("sent", await feeding)
            ep.sendto(b"end", peer)


async def main():
    async with connected("asyncio_pump") as (ep, peer):
        feeding = asyncio.create_task(feed(ep, peer))
        doubled, last = await asyncio.wait_for(collect(ep, feeding, peer), 60)
    print(" ".join(doubled))
    print(last)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except asyncio.TimeoutError:
        sys.exit("too slow")
