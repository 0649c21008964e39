"""Workers on the DPU: one thread receives, a pool of others answers; the endpoint is shared under a lock."""
import queue
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from doca_comm_channel import *
from doca_glue import die, open_doca_device, open_doca_device_rep

MAX_MSG_SIZE = 512
WORKERS = 4

ep_lock = threading.Lock()
idle_peers = queue.Queue()
done = threading.Event()
counters = {"jobs": 0, "again": 0}


def send_msg(ep, msg, peer):
    while True:
        with ep_lock:
            rc = doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)
        if rc != DOCA_ERROR_AGAIN:
            return rc
        time.sleep(0.0005)


def work(ep, job, peer):
    number, _, text = job.partition(b":")
    total = 0
    for byte in text:
        total = (total * 31 + byte) % 65521
    answer = b"%s=%d" % (number, total)
    rc = send_msg(ep, answer, peer)
    with ep_lock:
        counters["jobs"] += rc == DOCA_SUCCESS
    idle_peers.put(peer)
    return rc


def receiver(ep, pool):
    results = []
    while not done.is_set():
        with ep_lock:
            rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, MAX_MSG_SIZE, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_ERROR_AGAIN:
            counters["again"] += 1
            time.sleep(0.0005)
            continue
        die(rc, "receive")
        if msg[:length] == b"done":
            done.set()
            break
        results.append(pool.submit(work, ep, msg, peer))
    return [future.result() for future in results], peer


def main():
    rc, dev = open_doca_device("03:00.0")
    die(rc, "device")
    rc, rep = open_doca_device_rep(dev, "b1:00.0")
    die(rc, "representor")
    rc, ep = doca_comm_channel_ep_create()
    die(rc, "create")
    for setter, value in ((doca_comm_channel_ep_set_device, dev), (doca_comm_channel_ep_set_device_rep, rep),
                          (doca_comm_channel_ep_set_max_msg_size, MAX_MSG_SIZE),
                          (doca_comm_channel_ep_set_send_queue_size, 8),
                          (doca_comm_channel_ep_set_recv_queue_size, 32)):
        die(setter(ep, value), setter.__name__)
    die(doca_comm_channel_ep_listen(ep, "jobs"), "listen")
    print("listening", flush=True)

    with ThreadPoolExecutor(WORKERS) as pool:
        codes, peer = pool.submit(receiver, ep, pool).result()
    print(counters["jobs"], "jobs,", len([rc for rc in codes if rc != DOCA_SUCCESS]), "failures")
    seen = []
    while not idle_peers.empty():
        seen.append(idle_peers.get_nowait())
    print("all of one peer:", all(each is peer for each in seen), len(seen))
    die(send_msg(ep, b"total %d" % counters["jobs"], peer), "total")
    die(doca_comm_channel_ep_disconnect(ep, peer), "disconnect")
    die(doca_comm_channel_ep_destroy(ep), "destroy")
    doca_dev_rep_close(rep)
    doca_dev_close(dev)
    return 0


if __name__ == "__main__":
    sys.exit(main())
