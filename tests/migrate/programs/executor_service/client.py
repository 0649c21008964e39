import asyncio
import doca_comm_channel as cc


async def attempt(call, *args, tries=2000):
    """Call until it is not AGAIN; the loop goes on between."""
    for n in range(tries):
        try:
            return call(*args)
        except (cc.Again, cc.ConnectionInprogress):
            await asyncio.sleep(0.001)
    raise asyncio.TimeoutError(f"{call.__name__} after {n}")


async def talk(ep, peer, words):
    answers = []
    for word in words:
        await attempt(ep.sendto, word.encode(), peer)
        data, _ = await attempt(ep.recvfrom, 512)
        answers.append(data.decode())
    return answers


async def main():
    loop = asyncio.get_running_loop()
    dev = await loop.run_in_executor(None, cc.open_device, "b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_max_msg_size(512)
    peer = await loop.run_in_executor(None, lambda: ep.connect("aio-old"))
    await attempt(peer.update_info)
    try:
        print(await asyncio.wait_for(talk(ep, peer, ["one", "two", "three"]), timeout=60))
        await attempt(ep.sendto, b"bye", peer)
        await asyncio.sleep(0.2)
    finally:
        ep.disconnect(peer)
        ep.destroy()
        dev.close()


asyncio.run(main())
