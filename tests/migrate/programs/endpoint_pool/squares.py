"""The DPU's end: one thread receives, a few work, answers go back through a queue."""
import queue
import sys
import threading
import time

from doca_comm_channel import *

jobs = queue.Queue()
answers = queue.SimpleQueue()


def worker():
    while True:
        job = jobs.get()
        if job is None:
            return
        peer, text = job
        try:
            answer = b"%d" % (int(text) ** 2)
        except ValueError:
            answer = b"not a number: " + text
        answers.put((peer, answer))


def serve(ep, clients):
    handled = 0
    end = time.monotonic() + 60
    while time.monotonic() < end:
        while not answers.empty():
            peer, answer = answers.get()
            while doca_comm_channel_ep_sendto(ep, answer, len(answer), 0, peer) == DOCA_ERROR_AGAIN:
                pass
        rc, text, length, peer = doca_comm_channel_ep_recvfrom(ep, 256, 0)
        if rc == DOCA_ERROR_AGAIN:
            time.sleep(0.0001)
        elif rc != DOCA_SUCCESS:
            print("recvfrom:", doca_error_get_name(rc))
            return rc
        elif text == b"end":
            clients -= 1
            if not clients:
                print("handled", handled)
                return 0
        else:
            handled += 1
            jobs.put((peer, text))
    return DOCA_ERROR_TIME_OUT


dev = open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
rc, ep = doca_comm_channel_ep_create()
if rc == DOCA_SUCCESS: rc = doca_comm_channel_ep_set_device(ep, dev)
if rc == DOCA_SUCCESS: rc = doca_comm_channel_ep_set_device_rep(ep, rep)
if rc == DOCA_SUCCESS: rc = doca_comm_channel_ep_set_max_msg_size(ep, 256)
if rc == DOCA_SUCCESS: rc = doca_comm_channel_ep_listen(ep, "endpoint_pool")
if rc != DOCA_SUCCESS:
    sys.exit("start: " + doca_error_get_name(rc))
print("listening")
threads = [threading.Thread(target=worker, name=f"worker-{n}") for n in range(3)]
for thread in threads:
    thread.start()
try:
    rc = serve(ep, 3)
finally:
    for thread in threads:
        jobs.put(None)
    for thread in threads:
        thread.join()
print(doca_error_get_name(doca_comm_channel_ep_destroy(ep)), doca_error_get_name(doca_dev_rep_close(rep)),
      doca_error_get_name(doca_dev_close(dev)))
sys.exit(rc)
