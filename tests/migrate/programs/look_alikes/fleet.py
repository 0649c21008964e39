"""Sales representatives and their peers; no channel anywhere, but the same words."""
from dataclasses import dataclass, field


@dataclass
class Rep:
    name: str
    peer: str = None
    ep: int = 0                      # episodes of training
    sent: list = field(default_factory=list)

    def sendto(self, msg, peer):
        self.sent.append((msg, peer))
        return self

    def disconnect(self, peer):
        return f"{self.name} hangs up on {peer}"

    def update_info(self):
        return self.ep


@dataclass
class Region:
    rep: Rep
    dev: str = "north"

    def close(self):
        self.rep = None
        return vars(self)
