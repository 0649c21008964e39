"""Both ends of a talk as objects that wrap an endpoint, with a stop flag and a tight retry."""
import sys
import time

import doca_comm_channel as cc


class Stopped(Exception):
    """The flag was set while a call was being tried again."""


class Service:
    def __init__(self, pci_addr, rep_pci_addr, name):
        self.stop = False
        self.peer = None
        self.dev = cc.open_device(pci_addr)
        self.rep = self.dev.open_representor(rep_pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_device_rep(self.rep)
        self.ep.set_max_msg_size(256)
        self.ep.listen(name)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        if self.peer is not None:
            self.ep.disconnect(self.peer)
        self.ep.destroy()
        self.rep.close()
        self.dev.close()

    def receive(self):
        while not self.stop:
            try:
                msg, self.peer = self.ep.recvfrom(256)
                return msg
            except cc.Again:
                time.sleep(1e-5)
        raise Stopped

    def answer(self, msg):
        self.ep.sendto(msg, self.peer)

    @property
    def crowd(self):
        self.ep.update_service_state_info()
        return len(self.ep.get_peer_addr_list()), self.ep.get_pending_connections()

    def counts(self):
        self.peer.update_info()
        return self.peer.get_send_messages(), self.peer.get_recv_messages()


class Client:
    def __init__(self, pci_addr, name):
        self.stop = False
        self.dev = cc.open_device(pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.peer = self.ep.connect(name)

    def try_send(self, msg):
        try:
            self.ep.sendto(msg, self.peer)
        except cc.DocaError as error:
            return error.code
        return 0

    def send(self, msg):
        while (code := self.try_send(msg)) == cc.ErrorCode.AGAIN and not self.stop:
            time.sleep(1e-5)
        return code

    def receive(self):
        while True:
            try:
                return self.ep.recvfrom(256)[0]
            except cc.Again:
                time.sleep(1e-5)

    def close(self):
        self.ep.disconnect(self.peer)
        self.ep.destroy()
        self.dev.close()


def serve():
    with Service("03:00.0", "b1:00.0", "wrapped") as service:
        print("listening", flush=True)
        print(service.receive(), service.crowd)
        service.answer(b"welcome")
        msg = service.receive()
        print(msg, service.counts())  # the client still waits, so the counts are final
        service.answer(msg.upper())
        print(service.receive())
        service.stop = True
        try:
            service.receive()
        except Stopped:
            print("stopped")


def call():
    client = Client("b1:00.0", "wrapped")
    print(client.send(b"hello") == 0, client.receive())
    print(client.send(b"question") == 0, client.receive())
    print(client.send(b"bye") == 0)
    client.close()


def nobody():
    try:
        Client("b1:00.0", "nobody")
    except cc.ConnectionAborted as error:
        print(error.name)


if __name__ == "__main__":
    {"serve": serve, "call": call, "nobody": nobody}[sys.argv[1]]()
