import functools
import sys

import netpkg

with netpkg.serve("store", functools.partial(print, flush=True)) as channel:
    stored = {}
    while request := channel.recv():
        verb, _, rest = request.partition(b" ")
        key, _, value = rest.partition(b" ")
        if verb == b"put":
            stored[key] = value
            channel.send(b"stored %d bytes" % len(value))
        else:
            channel.send(stored.get(key, b""))
print(*(f"{key.decode()}: {len(value)}" for key, value in stored.items()), sep="\n")
sys.exit(len(stored))
