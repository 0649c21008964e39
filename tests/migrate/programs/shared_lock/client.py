"""The host's two threads; an endpoint with its lock is one object here."""
import queue
import select
import sys
import threading
import time

from doca_comm_channel import *

COUNT = 60


class LockedEndpoint:
    def __init__(self, dev):
        rc, self.handle = doca_comm_channel_ep_create()
        assert rc == DOCA_SUCCESS
        self.lock = threading.RLock()
        self.peer = None
        assert doca_comm_channel_ep_set_device(self.handle, dev) == DOCA_SUCCESS

    def connect(self, name):
        rc, self.peer = doca_comm_channel_ep_connect(self.handle, name)
        for _ in range(500000):
            if rc not in (DOCA_SUCCESS, DOCA_ERROR_CONNECTION_INPROGRESS):
                break
            rc = doca_comm_channel_peer_addr_update_info(self.peer)
            if rc == DOCA_SUCCESS:
                break
            time.sleep(1e-4)
        return rc

    def descriptors(self):
        with self.lock:
            return doca_comm_channel_ep_get_event_channel(self.handle)[1:]

    def try_send(self, msg):
        with self.lock:
            rc = doca_comm_channel_ep_sendto(self.handle, msg, len(msg), 0, self.peer)
            return rc or DOCA_SUCCESS

    def try_receive(self):
        with self.lock:
            rc, msg, _, _ = doca_comm_channel_ep_recvfrom(self.handle, 4080, 0)
            if rc == DOCA_ERROR_AGAIN and doca_comm_channel_ep_event_handle_arm_recv(self.handle) != DOCA_SUCCESS:
                return DOCA_ERROR_UNKNOWN, None
            return rc, msg

    def close(self):
        with self.lock:
            while doca_comm_channel_peer_addr_update_info(self.peer) == DOCA_SUCCESS:
                rc, in_flight = doca_comm_channel_peer_addr_get_send_in_flight_messages(self.peer)
                if not in_flight:
                    break
                time.sleep(1e-4)
            doca_comm_channel_ep_disconnect(self.handle, self.peer)
            doca_comm_channel_ep_destroy(self.handle)


def send_all(endpoint, results):
    for number in range(COUNT):
        for _ in range(500000):
            rc = endpoint.try_send(str(number).encode())
            if rc != DOCA_ERROR_AGAIN:
                break
            time.sleep(1e-4)
        if rc != DOCA_SUCCESS:
            break
    results.put(("sender", rc, number))


def receive_all(endpoint, results):
    _, recv_fd = endpoint.descriptors()
    poller = select.poll()
    poller.register(recv_fd, select.POLLIN)
    total = count = 0
    while count < COUNT:
        rc, msg = endpoint.try_receive()
        if rc == DOCA_SUCCESS:
            total, count = total + int(msg), count + 1
        elif rc != DOCA_ERROR_AGAIN or not poller.poll(10000):
            break
    results.put(("receiver", rc, total))


def main():
    with open_device("b1:00.0") as dev:
        endpoint = LockedEndpoint(dev)
        rc = endpoint.connect("shared_lock")
        if rc != DOCA_SUCCESS:
            print("connect", doca_error_get_name(rc))
            return 1
        results = queue.SimpleQueue()
        threads = [threading.Thread(target=work, args=(endpoint, results)) for work in (send_all, receive_all)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        for who, rc, number in sorted(results.get() for _ in threads):
            print(who, doca_error_get_name(rc), number)
        print("bye", doca_error_get_name(endpoint.try_send(b"bye")))
        endpoint.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
