"""retry(call, *args) in front of everything, as in the host's test scripts."""
import atexit
import sys
import time

from doca_comm_channel import Again as Busy
from doca_comm_channel import ConnectionInprogress, Endpoint, open_device


def retry(call, *args, busy=Busy, tries=100000, pause=1e-4, **options):
    for _ in range(tries):
        try:
            return call(*args, **options)
        except busy:
            time.sleep(pause)
    raise SystemExit(f"{call.__name__} was busy for too long")


def first(pair):
    return pair[0]


def exchange(ep, peer):
    send, receive = ep.sendto, ep.recvfrom

    def ask(text, flags=0):
        retry(send, text.encode(), peer, flags)
        return first(retry(receive, 256)).decode()

    return ask


def main():
    device = open_device("b1:00.0")
    atexit.register(device.close)
    endpoint = Endpoint()
    endpoint.set_device(device)
    endpoint.set_max_msg_size(max_msg_size=256)
    peer = retry(endpoint.connect, "bound_calls", busy=())
    retry(peer.update_info, busy=ConnectionInprogress)
    ask = exchange(endpoint, peer)
    for answer in map(ask, ["len twelve bytes", "rev desserts", "fly", "len "]):
        print(answer)
    print(ask("end"))
    cleanups = [(endpoint.destroy, ()), (endpoint.disconnect, (peer,))]
    while cleanups:
        call, arguments = cleanups.pop()
        call(*arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
