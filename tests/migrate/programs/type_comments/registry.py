"""The registry on the DPU."""
import sys

import doca_comm_channel as cc
from ports import Registry


def open_endpoint(name):
    # type: (str) -> cc.Endpoint
    endpoint = cc.Endpoint()
    endpoint.set_device(cc.open_device("03:00.0"))
    endpoint.set_device_rep(endpoint.get_device().open_representor("b1:00.0"))
    endpoint.listen(name)
    return endpoint


def main():
    # type: () -> int
    endpoint = open_endpoint("type_comments")
    registry = Registry(endpoint)
    print("listening")
    for words, peer in registry.requests():
        verb, name = words if len(words) == 2 else (words[0], "")
        if verb == "claim":
            registry.reply("yours" if registry.claim(name, peer) else "taken", peer)
        elif verb == "use":
            registry.reply(str(registry.use(name)), peer)
        elif verb == "mine":
            registry.reply(",".join(registry.of(peer, limit=2)), peer)
        elif verb == "stop":
            registry.reply("stopped", peer)
            break
    for port in registry.ports.values():
        print("%s %d" % (port.name, port.uses))
    device, rep = endpoint.get_device(), endpoint.get_device_rep()
    endpoint.destroy()
    rep.close()
    device.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
