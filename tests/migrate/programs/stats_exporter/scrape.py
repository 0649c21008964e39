"""Makes some traffic and scrapes the exporter."""
import re
import sys
import time

from doca_comm_channel import *


def must(rc, *rest):
    """The outputs, or the end."""
    if rc:
        sys.exit(doca_error_get_descr(rc))
    return rest[0] if len(rest) == 1 else rest


def spin(function, *args):
    rc, *outputs = DOCA_ERROR_AGAIN, None
    end = time.time() + 60
    while rc in (DOCA_ERROR_AGAIN, DOCA_ERROR_CONNECTION_INPROGRESS) and time.time() < end:
        answer = function(*args)
        rc, *outputs = answer if isinstance(answer, tuple) else [answer]
    return must(rc, *outputs)


class Connection:
    def __init__(self, dev):
        self.ep = must(*doca_comm_channel_ep_create())
        must(doca_comm_channel_ep_set_device(self.ep, dev))
        must(doca_comm_channel_ep_set_max_msg_size(self.ep, 2048))
        self.peer = must(*doca_comm_channel_ep_connect(self.ep, "stats_exporter"))
        spin(doca_comm_channel_peer_addr_update_info, self.peer)

    def ask(self, data):
        self.tell(data)
        return spin(doca_comm_channel_ep_recvfrom, self.ep, 2048, DOCA_CC_MSG_FLAG_NONE)[0]

    def tell(self, data):
        spin(doca_comm_channel_ep_sendto, self.ep, data, len(data), DOCA_CC_MSG_FLAG_NONE, self.peer)

    def close(self):
        must(doca_comm_channel_ep_disconnect(self.ep, self.peer))
        must(doca_comm_channel_ep_destroy(self.ep))


def scrape(connection):
    samples = {}
    for line in connection.ask(b"GET /metrics").decode().splitlines():
        match = re.match(r'comm_channel_(\w+)\{\w+="(\w+)"\} (\d+)', line)
        if match:
            metric, number, value = match.groups()
            samples.setdefault(metric, {})[number] = int(value)
    return samples


device = open_device("b1:00.0")
first, second = Connection(device), Connection(device)
for size in (1, 10, 100):
    assert first.ask(b"a" * size) == b"a" * size
second.ask(b"b" * 2000)
for metric, values in scrape(second).items():
    print(metric, values)
print("sent by the first:", must(*doca_comm_channel_peer_addr_get_send_bytes(first.peer)), "before")
must(doca_comm_channel_peer_addr_update_info(first.peer))
print("sent by the first:", must(*doca_comm_channel_peer_addr_get_send_bytes(first.peer)), "after")
first.close()
print(sorted(scrape(second)["received_messages"].items()))
second.tell(b"QUIT")
second.close()
must(doca_dev_close(device))
