"""Squares numbers on the DPU, many at a time."""
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed

import doca_comm_channel as cc
from pool import EndpointPool, PoolError

WORKERS = 6
ENDPOINTS = 3


def main():
    device = cc.open_device("b1:00.0")
    try:
        EndpointPool(device, "no such service", 1)
    except PoolError as error:
        print(error, error.rc == cc.DOCA_ERROR_CONNECTION_ABORTED)
    pool = EndpointPool(device, "endpoint_pool", ENDPOINTS)
    results = {}
    with ThreadPoolExecutor(WORKERS) as executor:
        futures = {executor.submit(pool.call, b"%d" % n): n for n in range(24)}
        for future in as_completed(futures):
            results[futures[future]] = int(future.result())
    print("right:", all(results[n] == n * n for n in results), len(results))
    print("words:", pool.call(b"seven").decode())
    print("borrowed", pool.borrowed, "sent", pool.sent(), "idle", pool.idle.qsize())
    for ep, peer in pool.all:
        pool_answer = cc.doca_comm_channel_ep_sendto(ep, b"end", 3, 0, peer)
        if pool_answer != cc.DOCA_SUCCESS:
            return pool_answer
    print("closed", pool.close())
    device.close()
    return 0


sys.exit(main())
