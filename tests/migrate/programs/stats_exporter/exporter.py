"""Exports the counters of a service's connections as text, in the manner of Prometheus."""
import sys
import time
from collections import OrderedDict, defaultdict

import doca_comm_channel as doca
from doca_comm_channel import DOCA_CC_MSG_FLAG_NONE, DOCA_ERROR_AGAIN, DOCA_SUCCESS

# metric: help text, getter
METRICS = OrderedDict([
    ("sent_messages", ("Messages sent to the peer.", doca.doca_comm_channel_peer_addr_get_send_messages)),
    ("sent_bytes", ("Bytes sent to the peer.", doca.doca_comm_channel_peer_addr_get_send_bytes)),
    ("received_messages", ("Messages received from the peer.", doca.doca_comm_channel_peer_addr_get_recv_messages)),
    ("received_bytes", ("Bytes received from the peer.", doca.doca_comm_channel_peer_addr_get_recv_bytes)),
    ("in_flight", ("Messages on their way.", doca.doca_comm_channel_peer_addr_get_send_in_flight_messages)),
])
PREFIX = "comm_channel_"


class Exporter:
    def __init__(self, labels="peer"):
        self.labels = labels
        self.errors = defaultdict(int)
        self.scrapes = 0

    def read(self, peer):
        """{metric: value} of one connection; what cannot be read is counted."""
        values = {}
        rc = doca.doca_comm_channel_peer_addr_update_info(peer)
        if rc != DOCA_SUCCESS:
            self.errors[doca.doca_error_get_name(rc)] += 1
        for metric, (_, getter) in METRICS.items():
            rc, value = getter(peer)
            if rc == DOCA_SUCCESS:
                values[metric] = value
            else:
                self.errors[doca.doca_error_get_name(rc)] += 1
        return values

    def text(self, peers):
        self.scrapes += 1
        rows = {}
        for peer in peers:
            rc, number = doca.doca_comm_channel_peer_addr_get_user_data(peer)
            rows[number] = self.read(peer)
        lines = []
        for metric, (help_text, _) in METRICS.items():
            kind = "gauge" if metric == "in_flight" else "counter"
            lines.append("# HELP %s%s %s" % (PREFIX, metric, help_text))
            lines.append("# TYPE %s%s %s" % (PREFIX, metric, kind))
            for number in sorted(rows):
                lines.append('%s%s{%s="%d"} %d' % (PREFIX, metric, self.labels, number, rows[number].get(metric, 0)))
        for name, count in sorted(self.errors.items()):
            lines.append('%serrors{code="%s"} %d' % (PREFIX, name, count))
        return "\n".join(lines) + "\n"


def service_peers(ep):
    """The peers of a fresh snapshot."""
    rc = doca.doca_comm_channel_ep_update_service_state_info(ep)
    if rc != DOCA_SUCCESS:
        raise RuntimeError(doca.doca_error_get_name(rc))
    rc, peers, count = doca.doca_comm_channel_ep_get_peer_addr_list(ep)
    assert len(peers) == count
    return peers


class Demo:
    """A service that echoes, numbers its peers, and exports when asked."""

    def __init__(self):
        self.known = 0
        self.exporter = Exporter()

    def __enter__(self):
        self.dev = doca.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        rc, self.ep = doca.doca_comm_channel_ep_create()
        for setter, value in [
            (doca.doca_comm_channel_ep_set_device, self.dev),
            (doca.doca_comm_channel_ep_set_device_rep, self.rep),
            (doca.doca_comm_channel_ep_set_max_msg_size, 2048),
        ]:
            rc = rc or setter(self.ep, value)
        rc = rc or doca.doca_comm_channel_ep_listen(self.ep, "stats_exporter")
        if rc:
            raise SystemExit(doca.doca_error_get_name(rc))
        return self

    def __exit__(self, kind, error, trace):
        for function, handle in ((doca.doca_comm_channel_ep_destroy, self.ep), (doca.doca_dev_rep_close, self.rep),
                                 (doca.doca_dev_close, self.dev)):
            rc = function(handle)
            if rc != DOCA_SUCCESS:
                print(function.__name__.split("_")[-1], doca.doca_error_get_name(rc))

    def send(self, data, peer):
        while True:
            rc = doca.doca_comm_channel_ep_sendto(self.ep, data, len(data), DOCA_CC_MSG_FLAG_NONE, peer)
            if rc != DOCA_ERROR_AGAIN:
                return rc

    def run(self):
        deadline = time.time() + 60
        while time.time() < deadline:
            rc, data, size, peer = doca.doca_comm_channel_ep_recvfrom(self.ep, 2048, DOCA_CC_MSG_FLAG_NONE)
            if rc == DOCA_ERROR_AGAIN:
                time.sleep(1e-4)
                continue
            if rc != DOCA_SUCCESS:
                return rc
            rc, number = doca.doca_comm_channel_peer_addr_get_user_data(peer)
            if not number:
                self.known += 1
                doca.doca_comm_channel_peer_addr_set_user_data(peer, self.known)
            if data == b"GET /metrics":
                text = self.exporter.text(service_peers(self.ep))
                self.send(text.encode(), peer)
            elif data == b"QUIT":
                return DOCA_SUCCESS
            else:
                self.send(data, peer)
        return doca.DOCA_ERROR_TIME_OUT


def main():
    with Demo() as demo:
        print("listening, metrics:", *METRICS)
        rc = demo.run()
        print(doca.doca_error_get_name(rc), demo.known, "peers", demo.exporter.scrapes, "scrapes", dict(demo.exporter.errors))
    return rc


if __name__ == "__main__":
    sys.exit(main())
