"""The wrapper under test: lines of text over a channel, with an endpoint that can be replaced."""
import time

import doca_comm_channel as cc


class LineTooLong(ValueError):
    pass


class Closed(Exception):
    pass


class LineChannel:
    """Send and receive lines; `endpoint` is for tests."""

    def __init__(self, endpoint=None, limit=80, clock=time.monotonic, sleep=time.sleep):
        self.endpoint = endpoint if endpoint is not None else cc.Endpoint()
        self.limit = limit
        self.clock, self.sleep = clock, sleep
        self.peer = None
        self._rest = b""

    def open(self, device, name, timeout=5.0):
        self.endpoint.set_device(device)
        self.endpoint.set_max_msg_size(self.limit)
        self.peer = self.endpoint.connect(name)
        self._until(timeout, cc.ConnectionInprogress, self.peer.update_info)
        return self

    def serve(self, device, representor, name):
        self.endpoint.set_device(device)
        self.endpoint.set_device_rep(representor)
        self.endpoint.set_max_msg_size(self.limit)
        self.endpoint.listen(name)
        return self

    def _until(self, timeout, busy, function, *args):
        end = self.clock() + timeout
        while True:
            try:
                return function(*args)
            except busy as error:
                if self.clock() >= end:
                    raise TimeoutError(f"{function.__name__} after {timeout} s") from error
                self.sleep(0.0001)

    def write_line(self, text, timeout=5.0):
        data = text.encode() + b"\n"
        if len(data) > self.limit:
            raise LineTooLong(len(data))
        try:
            self._until(timeout, cc.Again, self.endpoint.sendto, data, self.peer)
        except cc.ConnectionReset as error:
            self.close()
            raise Closed("write") from error

    def read_line(self, timeout=5.0):
        while b"\n" not in self._rest:
            try:
                data, sender = self._until(timeout, cc.Again, self.endpoint.recvfrom, self.limit)
            except cc.ConnectionReset as error:
                self.close()
                raise Closed("read") from error
            if self.peer is None:
                self.peer = sender
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode()

    def close(self):
        if self.peer is not None:
            self.endpoint.disconnect(self.peer)
            self.peer = None
        self.endpoint.destroy()
