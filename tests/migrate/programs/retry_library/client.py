import sys

import doca_comm_channel
from channel import Exhausted, connected


def visit(name, *books):
    with connected("library") as (channel, peer):
        channel.send(name, peer)
        print(channel.receive()[0].decode())
        for book in books:
            channel.send(book, peer)
            print(channel.receive()[0].decode())
        try:
            channel.glance()
        except Exhausted as error:
            print("nothing more:", error)


def main():
    try:
        with connected("museum"):
            print("never")
    except Exhausted as error:
        print("no museum:", error)
    visit(b"ann", b"emma", b"ulysses")
    visit(b"bob")
    try:
        visit(b"eve", b"x" * 300)
    except doca_comm_channel.InvalidValue as error:
        print("too thick:", error.name)
    with connected("library") as (channel, peer):
        channel.send(b"close", peer)
        print(channel.receive()[0].decode())
        channel.send(b"thanks", peer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
