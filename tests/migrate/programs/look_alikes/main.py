"""Fleet and links side by side; what is called here has the same name on both."""
import sys

from fleet import Region, Rep
from links import Hosts, Link


def main():
    region = Region(Rep("ann"))
    print(region.rep.sendto(b"offer", "bob").sent, region.rep.disconnect("bob"), region.rep.update_info())
    hosts = Hosts()
    server = Link(hosts, "look_alikes").listen("03:00.0", "b1:00.0")
    client = Link(hosts, "look_alikes").connect("b1:00.0")
    print("nothing" if server.receive(0) is None else "something", client.peer.update_info())
    print(client.answer(client.peer, "hello"))
    data, peer = server.receive()
    print(data.decode(), server.answer(peer, "hello yourself"), server.answer("ann", "nothing"))
    print(client.receive()[0].decode(), client.receive(0))
    try:
        server.answer(None, "nobody")
    except TypeError as error:
        print("no answer to", error)
    print(len(Link.alive), "links", server.peer, server.name)
    for link in (client, server):
        link.close()
    hosts.close()
    print(region.close())
    return 0


if __name__ == "__main__":
    sys.exit(main())
