# case: sizes of something else
server.set_max_msg_size(4080)


# case: set and read
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
client.set_max_msg_size(4080)
client.set_recv_queue_size(size=10)
print(client.get_max_msg_size(), client.get_recv_queue_size())
other = client.set_max_msg_size(64) or client


def configure(context):
    context.set_max_msg_size(1 << 12)


configure(client)
configure(cc.Client(client.get_device(), "other"))

# output
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
client.max_msg_size = 4080
client.recv_queue_size = 10
print(client.max_msg_size, client.recv_queue_size)
other = client.configure(max_msg_size=64) or client


def configure(context):
    context.max_msg_size = 1 << 12


configure(client)
configure(comch.Client(client.device, "other"))


# case: flat
from doca_cc import *

dev = open_device("03:00.0")
rc, server = doca_cc_server_create(dev, dev.open_representor("b1:00.0"), "svc")
rc = doca_cc_server_set_max_msg_size(server, 4080)
rc, size = doca_cc_server_get_max_msg_size(server)
rc, there = doca_cc_server_get_device_repr(server)

# output
import comch_next as comch

dev = comch.open_device("03:00.0")
rc, server = comch.outcome(
    comch.Server, dev, dev.open_representor("b1:00.0"), "svc"
)
rc = comch.outcome(comch.Server.configure, server, max_msg_size=4080)[0]
rc, size = comch.outcome(comch.Server.max_msg_size.fget, server)
rc, there = comch.outcome(comch.Server.device_rep.fget, server)


# case: sizes that may be None, which the old calls refused
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")


def configure(size=None, number=None):
    if size is not None:
        client.set_max_msg_size(size)
    client.set_recv_queue_size(number)
    client.set_recv_queue_size(min(number, 64))


configure(64)
for setter in (client.set_max_msg_size, client.set_recv_queue_size):
    setter(None)

# output
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")


def configure(size=None, number=None):
    if size is not None:
        client.max_msg_size = size
    client.recv_queue_size = comch.arguments.instance(number, int, "size")
    client.configure(recv_queue_size=min(number, 64))


configure(64)
for setter in (
    lambda size, *, client=client: client.configure(
        max_msg_size=comch.arguments.instance(size, int, "size")
    ),
    lambda size, *, client=client: client.configure(
        recv_queue_size=comch.arguments.instance(size, int, "size")
    ),
):
    setter(None)


# case: flat, a size that may be None
from doca_cc import *

rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
sizes = {"queue": None}
print(doca_cc_client_set_recv_queue_size(client, sizes.get("queue")))

# output
import comch_next as comch

rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
sizes = {"queue": None}
print(
    (
        lambda cc_client, size: comch.outcome(
            comch.Client.configure, cc_client, recv_queue_size=size
        )[0] if size is not None else comch.ErrorCode.INVALID_VALUE
    )(client, sizes.get("queue"))
)
