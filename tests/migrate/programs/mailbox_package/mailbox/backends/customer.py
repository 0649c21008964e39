"""The host's end."""
import time

from doca_comm_channel import ConnectionInprogress

from ..errors import MailboxError, Timeout
from ..message import Letter
from .base import Base


class Customer(Base):
    pci = "b1:00.0"
    peer = None

    def _open(self):
        self.peer = self.endpoint.connect(self.name)
        end = time.monotonic() + self.timeout
        while time.monotonic() < end:
            try:
                return self.peer.update_info()
            except ConnectionInprogress:
                time.sleep(1e-4)
        raise Timeout(self.name)

    def _leave(self):
        if self.peer is not None:
            self.endpoint.disconnect(self.peer)

    def _ask(self, letter):
        self._send(letter, self.peer)
        answer, _ = self._receive()
        return answer

    def put(self, text):
        return int(self._ask(Letter(Letter.PUT, text)).body)

    def take(self):
        answer = self._ask(Letter(Letter.TAKE))
        return None if answer.kind == Letter.EMPTY else answer.body

    def close_office(self):
        if self._ask(Letter(Letter.CLOSE)).kind != Letter.ACK:
            raise MailboxError("the office stays open")
