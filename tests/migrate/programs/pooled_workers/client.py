import concurrent.futures
import time

import doca_comm_channel as cc


def main():
    with cc.open_device("b1:00.0") as dev:
        ep = cc.Endpoint()
        ep.set_device(dev)
        peer = ep.connect("workers")

        def feed():
            for n in range(8):
                while True:
                    try:
                        ep.sendto(b"%d" % n, peer)
                        break
                    except cc.Again:
                        time.sleep(1e-4)

        def gather(count):
            got = {}
            while len(got) < count:
                try:
                    n, square = map(int, ep.recvfrom(64)[0].split())
                except cc.Again:
                    time.sleep(1e-4)
                else:
                    got[n] = square
            return got

        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            gathered = executor.submit(gather, 8)
            executor.submit(feed).result()
            print("sum of squares", sum(gathered.result(timeout=60).values()))
        ep.sendto(b"stop", peer)
        ep.disconnect(peer)
        ep.destroy()


if __name__ == "__main__":
    main()
