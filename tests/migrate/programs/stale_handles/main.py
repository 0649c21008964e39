"""Peers of a connection before, a reader that ends when its endpoint leaves, handles that are none. Both spellings."""
import sys
import threading
import time

import doca_comm_channel as cc

NAMES = cc.doca_error_get_name


class Reader(threading.Thread):
    """Reads until its endpoint is not connected any more."""

    def __init__(self, ep, lock):
        super().__init__()
        self.ep, self.lock, self.words, self.end = ep, lock, [], None

    def run(self):
        while True:
            with self.lock:
                try:
                    self.words.append(self.ep.recvfrom(50)[0].decode())
                    continue
                except cc.Again:
                    pass
                except cc.NotConnected:
                    self.end = "not connected"
                    return
                except cc.DocaError as error:
                    self.end = error.name
                    return
            time.sleep(1e-4)


def let_in(server, peer):
    try:
        return server.recvfrom(50)
    except cc.Again:
        peer.update_info()


def answers(*calls):
    """Name what each call answers."""
    for call, *args in calls:
        try:
            call(*args)
            yield "fine"
        except (cc.NotConnected, cc.ConnectionAborted, cc.BadState) as error:
            yield error.name.removeprefix("DOCA_ERROR_")


def reconnect(server, client):
    old = client.connect("stale")
    let_in(server, old)
    client.disconnect(old)
    new = client.connect("stale")
    let_in(server, new)
    print("old and new", old is new, old == new)
    print("the old one:", *answers((client.sendto, b"x", old), (old.update_info,), (client.disconnect, old)))
    print("the new one:", *answers((new.update_info,), (client.sendto, b"alive", new)))
    print("service got", server.recvfrom(50)[0])
    return new


def reading(server, client, peer):
    lock = threading.Lock()
    client.sendto(b"who am I?", peer)
    _, here = server.recvfrom(50)
    reader = Reader(client, lock)
    reader.start()
    for word in ("you", "are", "the", "host"):
        server.sendto(word.encode(), here)
    end = time.monotonic() + 60
    while len(reader.words) < 4 and time.monotonic() < end:
        time.sleep(1e-4)
    with lock:
        client.disconnect(peer)
    reader.join(60)
    print("read", reader.words, "ended by", reader.end, reader.is_alive())


def flat(server, client):
    codes = {
        "peer that is no peer": cc.doca_comm_channel_ep_sendto(client, b"x", 1, 0, "peer"),
        "endpoint that is none": cc.doca_comm_channel_ep_listen(0, "name"),
        "no endpoint": cc.doca_comm_channel_ep_recvfrom(None, 50, 0)[0],
        "no message": cc.doca_comm_channel_ep_sendto(server, None, 0, 0, None),
        "no peer": cc.doca_comm_channel_peer_addr_update_info(None),
        "a device as endpoint": cc.doca_comm_channel_ep_connect(client.get_device(), "stale")[0],
    }
    for what, code in codes.items():
        print(f"{what}: {NAMES(code)}")


def main():
    dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    server, client = cc.Endpoint(), cc.Endpoint()
    server.set_device(dpu)
    server.set_device_rep(rep)
    server.listen("stale")
    client.set_device(host)
    reading(server, client, reconnect(server, client))
    flat(server, client)
    client.destroy()
    server.destroy()
    for handle in (rep, dpu, host):
        handle.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
