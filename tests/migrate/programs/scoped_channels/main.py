"""Context managers and generators hand out devices, endpoints, peers and messages; both ends in one process."""
import sys
import time
from contextlib import ExitStack, closing, contextmanager

from doca_comm_channel import (
    Again,
    ConnectionInprogress,  # until the service has looked
    DocaError,
    Endpoint,
    open_device,
)

NAME = "scoped"


@contextmanager
def endpoint(device, **sizes):
    ep = Endpoint()
    try:
        ep.set_device(device)
        if "messages" in sizes:
            ep.set_max_msg_size(sizes["messages"])
        if "queue" in sizes:
            ep.set_send_queue_size(sizes["queue"])
            ep.set_recv_queue_size(sizes["queue"])
        yield ep
    finally:
        ep.destroy()
        print("destroyed")


@contextmanager
def service(name):
    with open_device("03:00.0") as device, device.open_representor("b1:00.0") as rep:
        with endpoint(device, messages=128, queue=8) as ep:
            ep.set_device_rep(rep)
            ep.listen(name)
            yield ep


class Connection:
    """A client for the length of a with statement."""

    def __init__(self, name, server):
        self.name, self.server = name, server
        self.stack = ExitStack()

    def __enter__(self):
        with ExitStack() as stack:
            device = stack.enter_context(open_device("b1:00.0"))
            self.ep = stack.enter_context(endpoint(device, messages=128))
            self.peer = self.ep.connect(self.name)
            stack.callback(self.ep.disconnect, self.peer)
            for _ in poll(self.server):
                break
            self.peer.update_info()
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *details):
        return self.stack.__exit__(*details)

    def send(self, text):
        self.ep.sendto(text.encode(), self.peer)


def poll(ep, turns=50000):
    """Every message of this endpoint, None when there is none at the moment."""
    for _ in range(turns):
        try:
            yield ep.recvfrom(128)
        except Again:
            yield None
            time.sleep(1e-5)


def messages(ep, count):
    with closing(poll(ep)) as polled:
        for arrived in filter(None, polled):
            yield arrived
            count -= 1
            if not count:
                return
    raise TimeoutError


def clients(server, count):
    """Connections, each closed when the next one is asked for."""
    for number in range(count):
        with Connection(NAME, server) as connection:
            yield number, connection


def main():
    with service(NAME) as server:
        print("listening")
        for number, connection in clients(server, 3):
            for word in ("first", "second")[: number + 1]:
                connection.send(f"{word} of {number}")
            for data, peer in messages(server, min(number + 1, 2)):
                print("service:", data.decode())
                server.sendto(data[::-1], peer)
            print("client:", [data.decode() for data, _ in messages(connection.ep, min(number + 1, 2))])
        try:
            with Connection("another", server):
                print("never here")
        except DocaError as error:
            print("another:", error.name)
        try:
            with Connection(NAME, server) as connection:
                connection.send("x" * 129)
        except ValueError:
            print("too long")
        quiet = next(poll(server))
        print("quiet" if quiet is None else quiet)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ConnectionInprogress:
        sys.exit("the service has not looked")
