"""A socket-like facade with time-outs in milliseconds; EAGAIN and errno as sockets have them. Roles by class method."""
import errno
import select
import time

import doca_comm_channel as cc

__all__ = ["ChannelSocket"]

ERRNO = {
    cc.DOCA_ERROR_AGAIN: errno.EAGAIN,
    cc.DOCA_ERROR_CONNECTION_RESET: errno.ECONNRESET,
    cc.DOCA_ERROR_CONNECTION_ABORTED: errno.ECONNREFUSED,
    cc.DOCA_ERROR_NOT_CONNECTED: errno.ENOTCONN,
    cc.DOCA_ERROR_INVALID_VALUE: errno.EMSGSIZE,
}


def os_error(error):
    return OSError(ERRNO.get(error.code, errno.EIO), error.name)


class ChannelSocket:
    message_size = 300

    def __init__(self, ep, peer=None):
        self._ep, self._peer = ep, peer
        self._opened = []
        self._waiting = None

    @classmethod
    def _make(cls, pci):
        dev = cc.open_device(pci)
        ep = cc.Endpoint()
        ep.set_device(dev)
        ep.set_max_msg_size(cls.message_size)
        sock = cls(ep)
        sock._opened.append(dev)
        return sock

    @classmethod
    def listening(cls, name, pci="03:00.0", rep="b1:00.0"):
        sock = cls._make(pci)
        sock._opened.append(sock._opened[0].open_representor(rep))
        sock._ep.set_device_rep(sock._opened[-1])
        try:
            sock._ep.listen(name)
        except cc.DocaError as error:
            sock.close()
            raise os_error(error) from None
        return sock

    @classmethod
    def connected(cls, name, pci="b1:00.0", timeout_ms=60000):
        sock = cls._make(pci)
        end = time.monotonic() + timeout_ms / 1000
        try:
            sock._peer = sock._ep.connect(name)
            while True:
                try:
                    sock._peer.update_info()
                    return sock
                except cc.ConnectionInprogress:
                    if time.monotonic() > end:
                        raise TimeoutError(name) from None
        except cc.DocaError as error:
            sock.close()
            raise os_error(error) from None

    def send(self, data, timeout_ms=None):
        send_fd, _ = self._ep.get_event_channel()
        while True:
            try:
                return self._ep.sendto(data, self._peer) or len(data)
            except cc.Again as full:
                self._ep.event_handle_arm_send()
                if not select.select([send_fd], [], [], (timeout_ms or 0) / 1000)[0]:
                    raise BlockingIOError(errno.EAGAIN, full.name) from None
            except cc.DocaError as error:
                raise os_error(error) from None

    def recv(self, timeout_ms=0):
        _, recv_fd = self._ep.get_event_channel()
        while True:
            try:
                data, self._peer = self._ep.recvfrom(self.message_size)
                return data
            except cc.Again:
                self._ep.event_handle_arm_recv()
                if not select.select([recv_fd], [], [], timeout_ms / 1000)[0]:
                    raise BlockingIOError(errno.EAGAIN, "nothing came") from None
            except cc.DocaError as error:
                raise os_error(error) from None

    def fileno(self):
        return self._ep.get_event_channel()[1]

    def close(self):
        ep, self._ep = self._ep, None
        if ep is not None:
            ep.destroy()
        while self._opened:
            self._opened.pop().close()
