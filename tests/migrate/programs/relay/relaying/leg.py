"""One leg of a relay: an endpoint on the host, connected to one service."""
import os
import time

import doca_comm_channel as cc


class Leg:
    def __init__(self, endpoint, peer, name):
        self.endpoint = endpoint
        self.peer = peer
        self.name = name
        self.closed = False

    @classmethod
    def to(cls, device, service, *, tries=5000):
        endpoint = cc.Endpoint()
        endpoint.set_device(device)
        endpoint.set_max_msg_size(256)
        leg = cls(endpoint, endpoint.connect("relay " + service), service)
        for _ in range(tries):
            try:
                leg.peer.update_info()
            except cc.ConnectionInprogress:
                time.sleep(0.001)
            else:
                return leg
        os._exit(75)

    def fileno(self):
        _, recv = self.endpoint.get_event_channel()
        return recv

    def arm(self):
        self.endpoint.event_handle_arm_recv()

    def read(self):
        """What has come, oldest first."""
        texts = []
        try:
            while True:
                texts.append(self.endpoint.recvfrom(256)[0])
        except cc.Again:
            return texts

    def write(self, text):
        self.endpoint.sendto(text, self.peer)

    def counters(self):
        self.peer.update_info()
        return (self.peer.get_send_messages(), self.peer.get_recv_messages(), self.peer.get_send_bytes(),
                self.peer.get_recv_bytes())

    def close(self):
        if not self.closed:
            self.closed = True
            self.write(b".")
            self.endpoint.disconnect(self.peer)
            self.endpoint.destroy()
