"""Send blocks from a pool; the bound methods themselves are submitted."""
import hashlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

from doca_comm_channel import Again, ConnectionInprogress, Endpoint, open_device

BLOCKS = [bytes([number]) + bytes([number % 5]) * 1000 for number in range(20)]


def wait(call, busy, *args):
    end = time.monotonic() + 60
    while True:
        try:
            return call(*args)
        except busy:
            if time.monotonic() > end:
                raise
            time.sleep(1e-4)


def main():
    device = open_device("b1:00.0")
    ep = Endpoint()
    ep.set_device(device)
    peer = ep.connect("thread_pool")
    with ThreadPoolExecutor(max_workers=1) as pool:
        pool.submit(wait, peer.update_info, ConnectionInprogress).result()
        sent = [pool.submit(ep.sendto, block, peer) for block in BLOCKS]
        print("sent", sum(future.exception() is None for future in as_completed(sent)))
        received = pool.map(lambda _: wait(ep.recvfrom, Again, 100), BLOCKS)
        digests = {data[0]: data[1:].decode() for data, _ in received}
    good = sum(digests[number] == hashlib.md5(block[1:]).hexdigest()[:6] for number, block in enumerate(BLOCKS))
    print("answers", len(digests), "right", good)
    ep.sendto(b"done", peer)
    ep.disconnect(peer)
    ep.destroy()
    device.close()
    return 0 if good == len(BLOCKS) else 1


if __name__ == "__main__":
    sys.exit(main())
