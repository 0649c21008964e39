"""A crier and three towns in one process: news for all of them, some of it too long, a diary, and a clerk who fails."""
import os
import sys
import threading
import time

import doca_comm_channel as cc

NEWS = [b"rain", b"snow " * 20, b"wind", b"sun " * 30]
skipped = 0


def wait(call, *args):
    """What a call returns when it no longer has to be tried again."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            return call(*args)
        except (cc.Again, cc.ConnectionInprogress):
            time.sleep(0.001)
    sys.exit("nothing comes")


def crier_of(dev, rep):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.set_max_msg_size(64)
    ep.listen("crier")
    return ep


def town_of(dev, crier, name):
    """A town, how it reaches the crier, and how the crier reaches it."""
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_max_msg_size(64)
    to_crier = ep.connect("crier")
    while True:
        try:
            to_crier.update_info()
            break
        except cc.ConnectionInprogress:
            try:
                crier.recvfrom(64)
            except cc.Again:
                pass
    wait(ep.sendto, name, to_crier)
    _, to_town = wait(crier.recvfrom, 64)
    return ep, to_crier, to_town


def resize(ep):
    """It listens already."""
    try:
        ep.set_max_msg_size(128)
    except Exception:
        pass


def cry(crier, peers, news):
    global skipped
    for peer in peers:
        try:
            wait(crier.sendto, news, peer)
        except cc.DocaError:
            skipped += 1


def hear(towns):
    for ep, to_crier, _ in towns:
        news, _ = wait(ep.recvfrom, 64)
        print("heard", news.decode())
        wait(ep.sendto, b"thanks for " + news, to_crier)


def write(number, news):
    with open("diary.txt", "a") as diary:
        print(number, len(news), file=diary)


def pay(wages):
    print("wages", wages["crier"])
    print("wages", wages["clerk"])


def main():
    dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    crier = crier_of(dpu, rep)
    towns = [town_of(host, crier, name) for name in (b"north", b"south", b"west")]
    peers = [to_town for _, _, to_town in towns]
    for number, news in enumerate(NEWS):
        print("news", number)
        cry(crier, peers, news)
        write(number, news)
        if len(news) <= 64:
            hear(towns)
            for _ in towns:
                print(wait(crier.recvfrom, 64)[0])
        resize(crier)
    print("skipped", skipped)
    clerk = threading.Thread(target=pay, args=({"crier": 2},), name="clerk")
    clerk.start()
    clerk.join()
    for ep, to_crier, _ in towns:
        ep.disconnect(to_crier)
        ep.destroy()
    crier.destroy()
    rep.close()
    dpu.close()
    host.close()
    return len(os.listdir("."))


if __name__ == "__main__":
    sys.exit(main())
