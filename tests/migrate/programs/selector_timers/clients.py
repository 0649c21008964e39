"""Three clients in one loop: one beats and leaves, one falls silent and is cut, one beats longer."""
import sys

from doca_comm_channel import Again, ConnectionInprogress, Endpoint, open_device
from loop import Loop


class Beater:
    def __init__(self, loop, device, name, beats, pause=0.005):
        self.loop, self.name, self.left, self.pause = loop, name, beats, pause
        self.ep = Endpoint()
        self.ep.set_device(device)
        self.cut = False
        self.on_end = None

    def start(self):
        self.peer = self.ep.connect("heartbeats")
        self.await_service()

    def await_service(self):
        try:
            self.peer.update_info()
        except ConnectionInprogress:
            self.loop.later(0.0005, self.await_service)
            return
        _, fd = self.ep.get_event_channel()
        self.loop.watch(fd, self.on_message, self.ep.event_handle_arm_recv)
        self.send(self.name)
        self.beat()

    def send(self, text):
        self.ep.sendto(text.encode(), self.peer)

    def beat(self):
        if self.left:
            self.left -= 1
            self.send("beat")
            self.loop.later(self.pause, self.beat)
        elif self.name == "silent":
            self.send("silent")
        else:
            self.end()

    def on_message(self):
        try:
            text, _ = self.ep.recvfrom(64)
        except Again:
            return
        self.cut = text == b"cut"
        self.end()

    def end(self):
        self.loop.forget(self.ep.get_event_channel()[1])
        self.ep.disconnect(self.peer)
        self.ep.destroy()
        print(self.name, "was cut" if self.cut else "leaves")
        if self.on_end:
            self.on_end()


loop = Loop()
with open_device("b1:00.0") as device:
    beaters = [Beater(loop, device, "brief", 2), Beater(loop, device, "silent", 1), Beater(loop, device, "long", 5)]
    for first, then in zip(beaters, beaters[1:]):
        first.on_end = then.start
    beaters[-1].on_end = loop.stop
    beaters[0].start()
    loop.run()
sys.exit(sum(beater.cut for beater in beaters))
