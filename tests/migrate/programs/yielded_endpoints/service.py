"""Endpoints out of generators: a pool of services, and messages as a stream."""
import itertools
import time
import doca_comm_channel as cc


def endpoints(device, representor, names):
    for name in names:
        ep = cc.Endpoint()
        ep.set_device(device)
        ep.set_device_rep(representor)
        ep.set_max_msg_size(400)
        ep.listen(name)
        try:
            yield ep
        finally:
            ep.destroy()
            print("closed", name)


def stream(ep):
    """Messages of one endpoint; None when there is nothing now."""
    while True:
        try:
            message = ep.recvfrom(400)
        except cc.Again:
            message = None
        got = yield message
        if got is not None:
            reply, to = got
            while True:
                try:
                    ep.sendto(reply, to)
                    break
                except cc.Again:
                    time.sleep(1e-5)


def merge(*streams):
    for s in itertools.cycle(streams):
        item = next(s)
        if item is None:
            time.sleep(1e-4)
            continue
        yield (s, *item)


def everything(device):
    representor = device.open_representor("b1:00.0")
    yield representor
    yield from endpoints(device, representor, ["gen-a", "gen-b"])
    representor.close()


device = cc.open_device("03:00.0")
source = everything(device)
rep = next(source)
first = next(source)
seconds = endpoints(device, rep, ["gen-b"])
second = next(seconds)
print("listening twice", flush=True)
by_stream = {}
for ep in first, second:
    by_stream[stream(ep)] = ep
total = 0
byes = {}
for s, data, who in merge(*by_stream):
    total += 1
    if data == b"bye":
        byes[by_stream[s]] = who
        if len(byes) == 2:
            break
    else:
        s.send((data * 2, who))
for ep, who in byes.items():
    ep.disconnect(who)
seconds.close()
source.close()
rep.close()
device.close()
print("messages", total)
