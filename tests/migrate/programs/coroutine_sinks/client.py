import time

from doca_comm_channel import *
from pipes import endpoints, prime, sink, source


def run(ep):
    rc, peer = doca_comm_channel_ep_connect(ep, "pipeline")
    if rc != DOCA_SUCCESS:
        yield "connect " + doca_error_get_name(rc)
        return
    while doca_comm_channel_peer_addr_update_info(peer) != DOCA_SUCCESS:
        time.sleep(0.001)
    out = prime(sink(ep, peer))
    numbers = [3, 4, 5, 12]
    out.send(b"%d" % len(numbers))
    answers = source(ep, 200)
    for number in numbers:
        out.send(b"%d" % number)
        data, sender = next(answers)
        yield "%d -> %s" % (number, data.decode())
    out.send(b"end")
    yield next(answers)[0].decode()
    try:
        out.send(b"y" * 201)
    except OSError as error:
        yield "refused %d %s" % (error.errno, error.strerror)
    doca_comm_channel_ep_disconnect(ep, peer)


pool = endpoints("b1:00.0", 5, 200)
ep, dev = next(pool)
for line in run(ep):
    print(line)
pool.close()
