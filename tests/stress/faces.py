"""The two APIs that the workers speak, in one shape: that of comch_next's conveniences."""

from __future__ import annotations

import select
import time
from typing import Any, NamedTuple

import comch_next as comch
import comm_channel_compat as cc

__all__ = ["FACES", "Modern", "Old"]

DPU, HOST, NAME = "03:00.0", "b1:00.0", "stress"
LONGEST = 4080


class Modern:
    """comch_next itself."""

    def __init__(self) -> None:
        self._devices: dict[str, comch.Device] = {}

    def _device(self, pci_addr: str) -> comch.Device:
        return self._devices.setdefault(pci_addr, comch.open_device(pci_addr))

    def server(self, receive: int, send: int) -> comch.Server:
        """Listening, with queues of these depths."""
        server = comch.Server(self._device(DPU), HOST, NAME, recv_queue_size=receive, send_queue_size=send)
        server.listen()
        return server

    def client(self, receive: int, send: int) -> comch.Client:
        """Ready to connect."""
        return comch.Client(self._device(HOST), NAME, recv_queue_size=receive, send_queue_size=send)

    def parted(self, connection: Any) -> None:
        """Both sides have said their last: the other one will leave."""


class _Message(NamedTuple):
    data: bytes
    connection: _OldConnection


class _OldConnection:
    """One peer of an endpoint."""

    def __init__(self, end: _OldEnd, peer: cc.PeerAddr) -> None:
        self.end = end
        self.peer = peer

    def send(self, data: bytes, *, timeout: float) -> None:
        assert timeout == 0
        self.end.ep.sendto(data, self.peer)


class _OldEnd:
    """An endpoint of generation 1; whoever waits sleeps in its event channel."""

    def __init__(self, pci_addr: str, receive: int, send: int) -> None:
        self.ep = cc.Endpoint()
        self.device = cc.open_device(pci_addr)
        self.ep.set_device(self.device)
        self.ep.set_recv_queue_size(receive)
        self.ep.set_send_queue_size(send)
        self.connections: dict[comch.Connection, _OldConnection] = {}
        self.parting: list[_OldConnection] = []
        self.lost: list[_OldConnection] = []

    def known(self, peer: cc.PeerAddr) -> _OldConnection:
        """By what is below: a second report of a loss would come with a handle of its own."""
        return self.connections.setdefault(peer._connection, _OldConnection(self, peer))

    def receive(self, timeout: float) -> _Message:
        """Again when nothing has come in time; ConnectionReset with the connection, None if it never was one."""
        self._disconnect_parted()
        try:
            return self._receive_or_sleep(timeout)
        except comch.Again:
            self._disconnect_lost()
            raise
        except comch.ConnectionReset as error:
            lost = None if error.connection is None else self.known(error.connection)
            if lost is not None and lost not in self.lost:
                self.lost.append(lost)
            raise comch.ConnectionReset(str(error), connection=lost) from error

    def _receive_or_sleep(self, timeout: float) -> _Message:
        deadline = time.monotonic() + timeout
        while True:
            try:
                data, peer = self.ep.recvfrom(LONGEST)
                return _Message(data, self.known(peer))
            except comch.Again:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise
                self.ep.event_handle_arm_recv()
                poller = select.poll()
                poller.register(self.ep.get_event_channel()[1], select.POLLIN)
                poller.poll(left * 1000)

    def _disconnect_parted(self) -> None:
        """Leave those with whom all is said, as soon as nothing is in flight to them."""
        self.parting = [connection for connection in self.parting if connection not in self.lost]
        for connection in list(self.parting):
            code = comch.outcome(connection.peer.update_info)[0]
            if code != comch.ErrorCode.SUCCESS or connection.peer.get_send_in_flight_messages() == 0:
                self.parting.remove(connection)
                self._disconnect(connection)

    def _disconnect_lost(self) -> None:
        """Not before nothing is left to receive: a disconnected peer's loss could not be told twice."""
        while self.lost:
            self._disconnect(self.lost.pop())

    def _disconnect(self, connection: _OldConnection) -> None:
        del self.connections[connection.peer._connection]
        self.ep.disconnect(connection.peer)

    def close(self) -> None:
        self.ep.destroy()
        self.device.close()


class _OldServer(_OldEnd):
    def __init__(self, receive: int, send: int) -> None:
        super().__init__(DPU, receive, send)
        self.representor = self.device.open_representor(HOST)
        self.ep.set_device_rep(self.representor)
        self.ep.listen(NAME)
        self.ep.get_event_channel()

    def close(self) -> None:
        self.ep.destroy()
        self.representor.close()
        self.device.close()


class _OldClient(_OldEnd):
    def __init__(self, receive: int, send: int) -> None:
        super().__init__(HOST, receive, send)

    def connect(self, timeout: float) -> _OldConnection:
        peer = self.ep.connect(NAME)
        deadline = time.monotonic() + timeout
        while comch.outcome(peer.update_info)[0] == comch.ErrorCode.CONNECTION_INPROGRESS:
            if time.monotonic() > deadline:
                raise comch.TimeOut("connect: the service lets nobody in")
            time.sleep(0.0005)
        peer.update_info()
        return self.known(peer)


class Old:
    """comm_channel_compat, as objects. Nobody is told of a departure, so the service leaves by itself."""

    def server(self, receive: int, send: int) -> _OldServer:
        return _OldServer(receive, send)

    def client(self, receive: int, send: int) -> _OldClient:
        return _OldClient(receive, send)

    def parted(self, connection: Any) -> None:
        connection.end.parting.append(connection)


FACES = {"comch_next": Modern, "comm_channel": Old}
