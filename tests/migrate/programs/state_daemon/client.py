"""Three clients come one after the other, say hello, and leave in order."""
import sys
import time

from doca_comm_channel import *


def spin(call, *busy):
    end = time.time() + 60
    while time.time() < end:
        outcome = call()
        if (outcome if isinstance(outcome, int) else outcome[0]) not in busy:
            return outcome
        time.sleep(1e-4)
    return DOCA_ERROR_TIME_OUT


class Visitor:
    def __init__(self, dev, number):
        self.number = number
        self.rc, self.ep = doca_comm_channel_ep_create()
        self.rc = self.rc or doca_comm_channel_ep_set_device(self.ep, dev)

    def arrive(self):
        self.rc, self.peer = doca_comm_channel_ep_connect(self.ep, "state_daemon")
        if self.rc == DOCA_SUCCESS:
            self.rc = spin(lambda: doca_comm_channel_peer_addr_update_info(self.peer),
                           DOCA_ERROR_CONNECTION_INPROGRESS)

    def hello(self):
        text = f"visitor {self.number}".encode()
        self.rc = doca_comm_channel_ep_sendto(self.ep, text, len(text), DOCA_CC_MSG_FLAG_NONE, self.peer)
        if self.rc == DOCA_SUCCESS:
            self.rc, text, *_ = spin(lambda: doca_comm_channel_ep_recvfrom(self.ep, 100, 0), DOCA_ERROR_AGAIN)
        print(doca_error_get_name(self.rc), text)

    def service_state(self):
        return doca_comm_channel_ep_update_service_state_info(self.ep)

    def leave(self):
        return doca_comm_channel_ep_disconnect(self.ep, self.peer) or doca_comm_channel_ep_destroy(self.ep)


dev = open_device("b1:00.0")
visitors = [Visitor(dev, number) for number in (1, 2, 3)]
for visitor in visitors:
    visitor.arrive()
    visitor.hello()
print("a client asks:", doca_error_get_name(visitors[0].service_state()))
print([doca_error_get_name(visitor.leave()) for visitor in visitors])
doca_dev_close(dev)
sys.exit(any(visitor.rc for visitor in visitors))
