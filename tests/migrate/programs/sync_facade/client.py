import errno
import sys

from facade import ChannelSocket


def attempt(label, call, *args, **options):
    try:
        print(label, call(*args, **options))
    except OSError as error:
        print(label, errno.errorcode[error.errno])


def main():
    attempt("nobody", ChannelSocket.connected, "sync_nothing")
    attempt("wrong side", ChannelSocket.connected, "sync_facade", pci="03:00.0")
    sock = ChannelSocket.connected("sync_facade")
    attempt("nothing yet", sock.recv)
    for size in (1, 299, 300, 301):
        attempt(f"{size} bytes:", sock.send, b"z" * size, timeout_ms=60000)
    for _ in range(500):
        sock.send(b"0123456789", timeout_ms=60000)
    sock.send(b"sum", timeout_ms=60000)
    attempt("total", sock.recv, timeout_ms=60000)
    attempt("bye", sock.send, b"bye", timeout_ms=60000)
    attempt("nothing more", sock.recv, timeout_ms=1)
    sock.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
