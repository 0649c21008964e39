import sys

from chan import cc, dial
from chan import patient as retry
from chan.roles import hang_up


def main(words):
    ep, peer = dial("reexported")
    for word in words:
        ep.sendto(word.encode(), peer)
        answer, sender = retry(ep.recvfrom, 4080)
        print(answer.decode(), sender is peer)
    try:
        cc.Endpoint().connect("reexported")
    except cc.BadState as error:
        print(error.name, int(error.code) == cc.DOCA_ERROR_BAD_STATE)
    ep.sendto(b"", peer)
    print("closed the", hang_up(ep))


if __name__ == "__main__":
    sys.exit(main(["one", "two"]))
