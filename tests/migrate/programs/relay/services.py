"""Two services on the DPU: `upper` answers in capitals, `reverse` backwards. One loop for both."""
import select
import sys

import doca_comm_channel as cc

WORK = {"upper": bytes.upper, "reverse": lambda text: text[::-1]}


class Service:
    def __init__(self, name, work, dev, rep):
        self.name, self.work = name, work
        self.ep = cc.Endpoint()
        self.ep.set_device(dev)
        self.ep.set_device_rep(rep)
        self.ep.set_max_msg_size(256)
        self.ep.listen("relay " + name)
        self.handled = 0
        self.open = True

    def fileno(self):
        return self.ep.get_event_channel()[1]

    def arm(self):
        self.ep.event_handle_arm_recv()

    def handle(self):
        while self.open:
            try:
                text, peer = self.ep.recvfrom(256)
            except cc.Again:
                return self.arm()
            if text == b".":
                self.open = False
            else:
                self.handled += 1
                self.ep.sendto(self.work(text), peer)


def main():
    with cc.open_device("03:00.0") as dev, dev.open_representor("b1:00.0") as rep:
        services = [Service(name, work, dev, rep) for name, work in WORK.items()]
        poller = select.epoll()
        by_fd = {}
        for service in services:
            service.arm()
            poller.register(service, select.EPOLLIN)
            by_fd[service.fileno()] = service
        print("listening:", *sorted(WORK))
        while any(service.open for service in services):
            ready = poller.poll(60)
            if not ready:
                print("idle")
                return 1
            for fd, _ in ready:
                by_fd[fd].handle()
        for service in services:
            poller.unregister(service.fileno())
            service.ep.destroy()
            print(service.name, service.handled)
    return 0


sys.exit(main())
