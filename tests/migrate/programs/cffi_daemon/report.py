"""Two hosts in one script, one after the other, on an endpoint each."""
import json
import sys

from channel import Channel, ChannelError, Native


def ask(channel, **request):
    channel.send(json.dumps(request).encode())
    return json.loads(channel.receive())


native = Native()
try:
    Channel(native, "00:00.0")
except LookupError as error:
    print("no device", error)
for host, value in (("first", 3), ("second", 4)):
    with Channel(native, "b1:00.0") as channel:
        channel.connect("metrics")
        print(host, ask(channel, do="set", name=host, value=value))
        print(host, ask(channel, do="sum"), ask(channel, do="size"), ask(channel, do="nonsense"))
        ask(channel, do="leave")
        print(host, "received", channel.received)
        if host == "second":
            channel.send(b'{"do": "stop"}')
        channel.hang_up()
        try:
            channel.send(b"more")
        except ChannelError as error:
            print(error, type(error).__name__)
sys.exit(0)
