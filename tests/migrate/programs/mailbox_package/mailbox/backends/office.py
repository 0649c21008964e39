"""The DPU's end: keeps letters until somebody takes them."""
from collections import deque

from ..message import Letter
from .base import Base


class Office(Base):
    pci = "03:00.0"

    def __init__(self, name, rep="b1:00.0", **options):
        super().__init__(name, **options)
        self.rep = self.device.open_representor(rep)
        self.opened.append(self.rep)
        self.letters = deque()

    def _open(self):
        self.endpoint.set_device_rep(self.rep)
        self.endpoint.listen(self.name)

    def serve(self):
        """Answer until someone closes; yields what came."""
        while True:
            letter, peer = self._receive()
            yield letter
            if letter.kind == Letter.PUT:
                self.letters.append(letter.body)
                self._send(Letter(Letter.ACK, str(len(self.letters))), peer)
            elif letter.kind == Letter.TAKE:
                if self.letters:
                    self._send(Letter(Letter.ACK, self.letters.popleft()), peer)
                else:
                    self._send(Letter(Letter.EMPTY), peer)
            elif letter.kind == Letter.CLOSE:
                self._send(Letter(Letter.ACK), peer)
                return
