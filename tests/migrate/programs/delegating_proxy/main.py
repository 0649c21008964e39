"""A proxy that hands every call on by its name, and writes down which; used as if it were the endpoint."""
import sys

import doca_comm_channel as cc


class Traced:
    def __init__(self, target, log):
        self._target, self._log = target, log

    def __getattr__(self, name):
        attribute = getattr(self._target, name)

        def call(*args):
            self._log.append(name)
            return attribute(*args)

        return call


def main():
    log = []
    dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    server, client = (Traced(cc.Endpoint(), log) for _ in range(2))
    for step, value in (("device", dpu), ("device_rep", rep), ("max_msg_size", 80)):
        getattr(server, "set_" + step)(value)
    server.listen("delegating")
    client.set_device(host)
    peer = client.connect("delegating")
    try:
        server.recvfrom(80)
    except cc.Again:
        peer.update_info()
    client.sendto(b"through two proxies", peer)
    print(server.recvfrom(80)[0].decode())
    client.disconnect(peer)
    client.destroy()
    server.destroy()
    for handle in (rep, dpu, host):
        handle.close()
    print(*log)
    return 0


if __name__ == "__main__":
    sys.exit(main())
