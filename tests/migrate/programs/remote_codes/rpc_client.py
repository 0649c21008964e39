import itertools

import doca_comm_channel as cc
import rpclib


class Proxy:
    """proxy.add(1, 2) asks the service."""

    def __init__(self, ep, peer):
        self._ep = ep
        self._peer = peer
        self._ids = itertools.count(1)

    def __getattr__(self, method):
        if method.startswith("_"):
            raise AttributeError(method)

        def ask(*args):
            ident = next(self._ids)
            rpclib.write(self._ep, self._peer, {"id": ident, "method": method, "args": args})
            answer, _ = rpclib.read(self._ep)
            assert answer["id"] == ident
            if "error" in answer:
                return "! " + answer["error"]
            return answer["result"]

        return ask


dev = rpclib.open_device("b1:00.0")
ep = rpclib.endpoint(dev, msg=4080)
try:
    rpclib.settle(cc.doca_comm_channel_ep_connect, ep, "rcp")
except rpclib.RpcError as error:
    print(error)
(peer,) = rpclib.settle(cc.doca_comm_channel_ep_connect, ep, "rpc")
rpclib.settle(cc.doca_comm_channel_peer_addr_update_info, peer)
proxy = Proxy(ep, peer)
print(proxy.add(1, 2), proxy.mul(6, 7), proxy.div(1, 0))
print(proxy.upper("shout"), proxy.max(3, 9, 4))
print(proxy.nothing())
print(proxy.stop())
rpclib.write(ep, peer, "bye")
rpclib.settle(cc.doca_comm_channel_ep_disconnect, ep, peer)
try:
    proxy.add(1, 1)
except rpclib.RpcError as error:
    print(error, rpclib.verdict(error.rc) == rpclib.LOST)
print(cc.doca_comm_channel_ep_destroy(ep), cc.doca_dev_close(dev))
