"""Hash blocks in a pool of threads; answers go out as they are done, one lock for the endpoint."""
import hashlib
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import doca_comm_channel as cc


class HashService:
    def __init__(self, stack_name):
        self._ep = cc.Endpoint()
        self._lock = threading.Lock()
        self._name = stack_name

    def __enter__(self):
        self._dev = cc.open_device("03:00.0")
        self._rep = self._dev.open_representor("b1:00.0")
        self._ep.set_device(self._dev)
        self._ep.set_device_rep(self._rep)
        self._ep.listen(self._name)
        return self

    def __exit__(self, *details):
        self._ep.destroy()
        self._rep.close()
        self._dev.close()
        return False

    def __iter__(self):
        """Requests, until a client says it is done or nobody says anything."""
        idle = 0
        while idle < 500000:
            with self._lock:
                try:
                    request = self._ep.recvfrom(4080)
                except cc.Again:
                    request = None
            if request is None:
                idle += 1
                time.sleep(1e-4)
            elif request[0] == b"done":
                return
            else:
                idle = 0
                yield request

    def hash_and_answer(self, data, peer):
        digest = hashlib.md5(data[1:]).hexdigest()[:6]
        answer = data[:1] + digest.encode()
        while True:
            with self._lock:
                try:
                    self._ep.sendto(answer, peer)
                    return digest
                except cc.Again:
                    pass
            time.sleep(1e-4)


def main():
    with HashService("thread_pool") as service, ThreadPoolExecutor(3) as pool:
        print("listening")
        futures = [pool.submit(service.hash_and_answer, *request) for request in service]
        digests = [future.result(60) for future in futures]
        print("hashed", len(digests), "blocks,", len(set(digests)), "different")
    return 0 if digests else 1


if __name__ == "__main__":
    sys.exit(main())
