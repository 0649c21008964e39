import sys
import time

import doca_comm_channel as cc
from endpoints import CountingEndpoint, ReadOnlyEndpoint


def poll(ep):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            return ep.recvfrom()
        except cc.Again:
            time.sleep(1e-4)
    raise TimeoutError(ep.label)


def main():
    with cc.open_device("03:00.0") as dpu, cc.open_device("b1:00.0") as host, dpu.open_representor("b1:00.0") as rep:
        server = ReadOnlyEndpoint(dpu, "server")
        server.set_device_rep(rep)
        server.listen("logged_endpoint")
        client = CountingEndpoint(host, "client")
        peer = client.connect("logged_endpoint")
        try:
            server.recvfrom()
        except cc.Again:
            peer.update_info()
        for text in (b"one", b"two", b"three"):
            client.sendto(text, peer)
            msg, other = poll(server)
            print("server got", msg.decode())
        try:
            server.sendto(b"answer", other)
        except cc.NotPermitted as error:
            print("not sent:", error.name)
        print(isinstance(server, cc.Endpoint), isinstance(client, ReadOnlyEndpoint))
        for ep in (client, server):
            print(ep.report(), "again", ep.counts["again"])
        client.disconnect(peer)
        client.destroy()
        server.destroy()
    return 0


if __name__ == "__main__":
    sys.exit(main())
