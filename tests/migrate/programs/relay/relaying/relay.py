"""Forwards what one leg answers to another, as routes say."""
import select

from doca_comm_channel import DocaError


class Relay:
    def __init__(self, *legs):
        self.legs = {leg.name: leg for leg in legs}
        self.routes = {}
        self.delivered = []
        self.log = []

    def route(self, source, target):
        self.routes[source] = target
        return self

    def feed(self, name, text):
        leg = self.legs[name]
        try:
            leg.write(text)
        except DocaError as error:
            self.log.append(f"{name} refuses {len(text)} bytes: {error.name}")
            return False
        return True

    def run(self, wanted, timeout=60):
        """Forward until so many texts have come to an end of the routes."""
        for leg in self.legs.values():
            leg.arm()
        while len(self.delivered) < wanted:
            ready, _, _ = select.select(list(self.legs.values()), [], [], timeout)
            if not ready:
                raise TimeoutError(wanted)
            for leg in ready:
                for text in leg.read():
                    self.forward(leg, text)
                leg.arm()

    def forward(self, leg, text):
        target = self.routes.get(leg.name)
        if target is None:
            self.delivered.append(text.decode())
        else:
            self.log.append(f"{leg.name} -> {target}")
            self.feed(target, text)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for leg in self.legs.values():
            leg.close()
