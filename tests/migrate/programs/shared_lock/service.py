"""Two threads, one endpoint, one lock: the receiver learns of the peer, the sender waits for that; epoll for both."""
import select
import sys
import threading

import doca_comm_channel as cc

COUNT = 60
NAME = b"shared_lock".decode()
LOCK = threading.Lock()
known = threading.Condition()
peer_addr = None
errors = []


def wait(fd, seconds):
    ep = select.epoll()      # not the endpoint
    ep.register(fd, select.EPOLLIN)
    try:
        return ep.poll(seconds)
    finally:
        ep.close()


def receiver(ep, fd, log):
    global peer_addr
    while len(log) < COUNT:
        with LOCK:
            rc, msg, n, peer = cc.doca_comm_channel_ep_recvfrom(ep, 4080, cc.DOCA_CC_MSG_FLAG_NONE)
            if rc == cc.DOCA_ERROR_AGAIN:
                cc.doca_comm_channel_ep_event_handle_arm_recv(ep)
        if rc == cc.DOCA_SUCCESS:
            log.append(int(msg))
            if peer_addr is None:
                with known:
                    peer_addr = peer
                    known.notify()
        elif rc != cc.DOCA_ERROR_AGAIN or not wait(fd, 10):
            errors.append(("receiver", rc))
            return


def sender(ep, fd, log):
    with known:
        if not known.wait_for(lambda: peer_addr is not None, 60):
            errors.append(("sender", cc.DOCA_ERROR_TIME_OUT))
            return
    while len(log) < COUNT:
        msg = b"%d" % (len(log) * 2)
        with LOCK:
            rc = cc.doca_comm_channel_ep_sendto(ep, msg, len(msg), cc.DOCA_CC_MSG_FLAG_NONE, peer_addr)
            if rc == cc.DOCA_ERROR_AGAIN:
                cc.doca_comm_channel_ep_event_handle_arm_send(ep)
        if rc == cc.DOCA_SUCCESS:
            log.append(msg)
        elif rc == cc.DOCA_ERROR_AGAIN:
            wait(fd, 0.01)
        else:
            errors.append(("sender", rc))
            return


def main():
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    rc, ep = cc.doca_comm_channel_ep_create()
    if rc == 0: rc = cc.doca_comm_channel_ep_set_device(ep, dev)
    if rc == 0: rc = cc.doca_comm_channel_ep_set_device_rep(ep, rep)
    if rc == 0: rc = cc.doca_comm_channel_ep_set_send_queue_size(ep, 10)
    if rc == 0: rc = cc.doca_comm_channel_ep_set_recv_queue_size(ep, 10)
    if rc == 0: rc = cc.doca_comm_channel_ep_listen(ep, NAME)
    if rc != 0: sys.exit("set-up: %s" % cc.doca_error_get_name(rc))
    print("listening")
    rc, send_fd, recv_fd = cc.doca_comm_channel_ep_get_event_channel(ep)
    sent, received = [], []
    threads = [threading.Thread(target=receiver, args=(ep, recv_fd, received)),
               threading.Thread(target=sender, kwargs={"ep": ep, "fd": send_fd, "log": sent})]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("received", len(received), "sum", sum(received))
    print("sent", len(sent))
    for who, rc in errors:
        print(who, cc.doca_error_get_name(rc))
    if not errors:
        wait_for_bye(ep, recv_fd)
    cc.doca_comm_channel_ep_destroy(ep)
    rep.close()
    dev.close()
    return len(errors)


def wait_for_bye(ep, fd):
    while True:
        rc, msg, _, peer = cc.doca_comm_channel_ep_recvfrom(ep, 4080, cc.DOCA_CC_MSG_FLAG_NONE)
        if rc == cc.DOCA_SUCCESS:
            print(msg.decode(), peer is peer_addr)
            return
        cc.doca_comm_channel_ep_event_handle_arm_recv(ep)
        if not wait(fd, 10):
            errors.append(("bye", rc))
            return


if __name__ == "__main__":
    sys.exit(main())
