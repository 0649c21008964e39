"""A daemon that watches who is connected: the service's event channel, snapshots, the list of peers."""
import select
import sys
import time

from doca_comm_channel import *

WANTED = 3


class Watch:
    def __init__(self, ep):
        self.ep = ep
        rc, self.fd = doca_comm_channel_ep_get_service_event_channel(ep)
        if rc != DOCA_SUCCESS:
            raise RuntimeError(doca_error_get_name(rc))
        rc, self.send_fd, self.recv_fd = doca_comm_channel_ep_get_event_channel(ep)
        self.poller = select.poll()
        self.poller.register(self.fd, select.POLLIN)
        self.poller.register(self.recv_fd, select.POLLIN)

    def snapshot(self):
        """Peers and pending connections."""
        rc = doca_comm_channel_ep_update_service_state_info(self.ep)
        if rc != DOCA_SUCCESS:
            raise RuntimeError("service is " + doca_error_get_name(rc))
        rc, peers, count = doca_comm_channel_ep_get_peer_addr_list(self.ep)
        assert rc == DOCA_SUCCESS and len(peers) == count
        rc, pending = doca_comm_channel_ep_get_pending_connections(self.ep)
        return count, pending

    def wait(self):
        if doca_comm_channel_ep_event_handle_arm_recv(self.ep) != DOCA_SUCCESS:
            return False
        return bool(self.poller.poll(10000))


def main():
    dev = open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    rc, ep = doca_comm_channel_ep_create()
    rc = rc or doca_comm_channel_ep_set_device(ep, dev) or doca_comm_channel_ep_set_device_rep(ep, rep)
    rc = rc or doca_comm_channel_ep_listen(ep, "state_daemon")
    if rc:
        print("start:", doca_error_get_name(rc))
        return 1
    watch = Watch(ep)
    print("listening, peers %d pending %d" % watch.snapshot())
    hellos = 0
    end = time.time() + 60
    while time.time() < end:
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 100, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_SUCCESS:
            hellos += 1
            doca_comm_channel_peer_addr_set_user_data(peer, hellos)
            print("hello %d, peers %d pending %d" % ((hellos,) + watch.snapshot()))
            rc = doca_comm_channel_ep_sendto(ep, msg, length, DOCA_CC_MSG_FLAG_NONE, peer)
            continue
        if rc != DOCA_ERROR_AGAIN:
            print("receive:", doca_error_get_name(rc))
            break
        count, pending = watch.snapshot()
        if hellos == WANTED and count == 0:
            break
        if not watch.wait():
            print("nothing happens")
            break
    print("hellos", hellos, "peers %d pending %d" % watch.snapshot())
    rc = doca_comm_channel_ep_destroy(ep)
    doca_dev_rep_close(rep)
    doca_dev_close(dev)
    return rc if hellos == WANTED else 3


if __name__ == "__main__":
    sys.exit(main())
