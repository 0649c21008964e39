"""Publish numbers to whoever asked; subscribers leave when they like, and one is killed."""
import sys
import time

import doca_comm_channel as cc


class Publisher:
    def __init__(self, name):
        self.dev = cc.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_device_rep(self.rep)
        self.ep.set_send_queue_size(8)
        self.ep.set_recv_queue_size(8)
        self.ep.listen(name)
        self.subscribers = {}
        self.gone = []

    def poll(self):
        """The next request; those who were lost on the way are taken out."""
        try:
            data, peer = self.ep.recvfrom(64)
        except cc.Again:
            return None
        except cc.ConnectionReset as e:
            self.drop(e.connection)
            self.ep.disconnect(e.connection)
            return None
        self.subscribers[peer] = data.decode()
        print("subscribed", data.decode())
        return peer

    def drop(self, peer):
        name = self.subscribers.pop(peer, None)
        if name is not None:
            self.gone.append(name)

    def publish(self, number):
        for peer in list(self.subscribers):
            try:
                self.ep.sendto(b"%d" % number, peer)
            except cc.Again:
                pass                       # slow readers miss numbers
            except cc.ConnectionReset:
                self.drop(peer)

    def close(self):
        for peer in self.subscribers:
            self.ep.disconnect(peer)
        self.ep.destroy()
        self.rep.close()
        self.dev.close()


def main():
    publisher = Publisher("early_leaver")
    print("listening")
    end = time.monotonic() + 60
    number = 0
    while sorted(publisher.gone) != ["killed", "leaves"] or "stays" not in publisher.subscribers.values():
        if time.monotonic() > end:
            print("still there:", sorted(publisher.subscribers.values()))
            return 3
        while publisher.poll():
            pass
        publisher.publish(number)
        number += 1
        time.sleep(0.001)
    print("gone", *sorted(publisher.gone))
    (last,) = publisher.subscribers
    while True:
        try:
            publisher.ep.sendto(b"end", last)
            break
        except cc.Again:
            time.sleep(0.001)
    while not publisher.poll():
        if time.monotonic() > end:
            break
    print("stayed", publisher.subscribers[last])
    publisher.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
