"""One process, a service for each function of the card, all in one selector; endpoints live in a dict by name."""
import selectors
import sys
import time

import doca_comm_channel as cc

FUNCTIONS = {"physical": "b1:00.0", "virtual": "b1:00.2", "sub": "b1:00.3"}


class Service:
    registry = {}

    def __init__(self, name, rep):
        self.name, self.rep = name, rep
        self.ep = cc.Endpoint()
        self.served = 0
        self.registry[name] = self

    @classmethod
    def for_function(cls, device, name, pci):
        service = cls(name, device.open_representor(pci))
        service.ep.set_device(device)
        service.ep.set_device_rep(service.rep)
        service.ep.listen("two_services")
        return service

    def fileno(self):
        return self.ep.get_event_channel()[1]

    def drain(self):
        while True:
            try:
                data, peer = self.ep.recvfrom(200)
            except cc.Again:
                self.ep.event_handle_arm_recv()
                return
            self.served += 1
            self.ep.sendto(b"%s by %s" % (data, self.name.encode()), peer)

    def close(self):
        self.ep.destroy()
        self.rep.close()


def main():
    device = cc.open_device("03:00.0")
    selector = selectors.DefaultSelector()
    for name, pci in FUNCTIONS.items():
        service = Service.for_function(device, name, pci)
        selector.register(service, selectors.EVENT_READ)
        service.drain()
    print("listening on", *Service.registry)
    end = time.monotonic() + 60
    while sum(service.served for service in Service.registry.values()) < 5 and time.monotonic() < end:
        for key, _ in selector.select(1):
            key.fileobj.drain()
    selector.close()
    for name in sorted(Service.registry):
        service = Service.registry.pop(name)
        print(name, service.served)
        service.close()
    device.close()
    return 0 if time.monotonic() < end else 3


if __name__ == "__main__":
    sys.exit(main())
