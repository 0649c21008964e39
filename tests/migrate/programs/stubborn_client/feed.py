"""A feed of prices that falls over now and then: it destroys its endpoint and listens again."""
import itertools
import sys
import time

import doca_comm_channel as channel

PRICES = [100, 101, 99, 98, 103, 105, 104, 102]
FALLS_AFTER = {2, 5}


class Feed:
    def __init__(self, device, representor):
        self._device = device
        self._representor = representor
        self._endpoint = None
        self.life = 0

    def rise(self):
        self.life += 1
        endpoint = channel.Endpoint()
        endpoint.set_device(self._device)
        endpoint.set_device_rep(self._representor)
        endpoint.set_recv_queue_size(4)
        endpoint.listen("stubborn")
        self._endpoint = endpoint
        return self.life

    def fall(self):
        endpoint, self._endpoint = self._endpoint, None
        endpoint.destroy()

    def requests(self, seconds):
        """(peer, first wanted) until the time is up."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                payload, peer = self._endpoint.recvfrom(64)
            except channel.Again:
                time.sleep(1e-4)
                continue
            except (channel.ConnectionReset, channel.ConnectionAborted) as error:
                lost = error.connection
                if lost is not None:
                    self._endpoint.disconnect(lost)
                continue
            yield peer, int(payload)

    def linger(self, seconds):
        """Answer whoever asks once more, until they have all gone: what has been answered may be asked again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._endpoint.update_service_state_info()
            if not self._endpoint.get_peer_addr_list():
                return
            for peer, _ in self.requests(0.01):
                self.answer(peer, "end")

    def answer(self, peer, text):
        try:
            self._endpoint.sendto(text.encode("ascii"), peer)
        except (channel.Again, channel.ConnectionReset):
            return False
        return True


def main():
    device = channel.open_device("03:00.0")
    representor = device.open_representor("b1:00.0")
    feed = Feed(device, representor)
    print("listening, life", feed.rise())
    falls = set(FALLS_AFTER)
    for peer, wanted in feed.requests(60):
        if wanted in falls:
            falls.remove(wanted)
            feed.fall()
            print("fell before", wanted)
            print("life", feed.rise())
            continue
        if wanted >= len(PRICES):
            feed.answer(peer, "end")
            print("served all, peer is", peer.get_user_data() or "unnamed")
            feed.linger(60)
            break
        feed.answer(peer, f"{wanted}:{PRICES[wanted]}")
    else:
        return 1
    feed.fall()
    representor.close()
    device.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
