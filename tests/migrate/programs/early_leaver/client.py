"""Three subscribers: one leaves in order, one is a process that kills itself, one stays to the end."""
import os
import signal
import subprocess
import sys
import time

import doca_comm_channel as cc


def subscribe(name):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_recv_queue_size(8)
    peer = ep.connect("early_leaver")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            peer.update_info()
        except cc.ConnectionInprogress:
            time.sleep(1e-4)
            continue
        ep.sendto(name.encode(), peer)
        return dev, ep, peer
    raise SystemExit("no publisher")


def take(ep, count):
    """Numbers that rise, or the end."""
    last = -1
    deadline = time.monotonic() + 60
    while count and time.monotonic() < deadline:
        try:
            data, _ = ep.recvfrom(64)
        except cc.Again:
            time.sleep(1e-4)
            continue
        if data == b"end":
            return data
        assert int(data) > last
        last, count = int(data), count - 1
    return None


def killed():
    _, ep, _ = subscribe("killed")
    take(ep, 3)
    os.kill(os.getpid(), signal.SIGKILL)


def main():
    dev, ep, peer = subscribe("leaves")
    take(ep, 5)
    ep.disconnect(peer)
    ep.destroy()
    dev.close()
    print("one has left")

    status = subprocess.run([sys.executable, __file__, "killed"], timeout=60).returncode
    print("one was killed", status == -signal.SIGKILL)

    dev, ep, peer = subscribe("stays")
    print("the last got", take(ep, -1))
    ep.sendto(b"stays, thanks", peer)
    ep.disconnect(peer)
    ep.destroy()
    dev.close()
    return 0


if __name__ == "__main__":
    sys.exit(killed() if sys.argv[1:] else main())
