"""A table of settings applied in a loop over bound methods, and lines that are sent one by one. Objects."""
import sys
import time

from doca_comm_channel import Again, ConnectionInprogress, DocaError, Endpoint, open_device

LINES = """\
add 1 2 3
set colour blue
get colour
get size
limits
sing
add
"""


def main():
    device = open_device("b1:00.0")
    ep = Endpoint()
    settings = [
        (ep.set_device, device),
        (ep.set_max_msg_size, 1000),
        (ep.set_send_queue_size, 20),
        (ep.set_recv_queue_size, 0),
        (ep.set_recv_queue_size, 30),
    ]
    for apply, value in settings:
        try:
            apply(value)
        except DocaError as error:
            print("refused", value, error.name)
    getters = {
        "messages": ep.get_max_msg_size,
        "send": ep.get_send_queue_size,
        "receive": ep.get_recv_queue_size,
    }
    print({name: get() for name, get in getters.items()})
    peer = ep.connect("dispatch_table")
    tries = 100000
    while tries:
        tries -= 1
        try:
            peer.update_info()
            break
        except ConnectionInprogress:
            time.sleep(1e-4)
    for line in LINES.splitlines():
        ep.sendto(line.encode(), peer)
        answer = None
        while answer is None and tries:
            tries -= 1
            try:
                answer, _ = ep.recvfrom(1000)
            except Again:
                time.sleep(1e-4)
        print(line, "->", (answer or b"timeout").decode())
    ep.sendto(b"quit", peer)
    steps = {"disconnect": (ep.disconnect, [peer]), "destroy": (ep.destroy, []), "close": (device.close, [])}
    for label, (call, arguments) in steps.items():
        call(*arguments)
        print(label)
    return 0


if __name__ == "__main__":
    sys.exit(main())
