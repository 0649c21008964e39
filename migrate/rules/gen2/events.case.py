# case: events of something else
server.event_msg_recv_register(print)


# case: functions, and what changes later
import doca_cc as cc


def on_message(event, recv_buffer, msg_len, connection):
    print(recv_buffer[:msg_len], connection.get_server_ctx())


def on_change(event, connection, change_successful):
    connection.set_user_data(change_successful)


on_consumer = print

dev = cc.open_device("03:00.0")
server = cc.Server(dev, dev.open_representor("b1:00.0"), "svc")
server.event_msg_recv_register(on_message)
server.event_connection_register(connect_event_cb=on_change, disconnect_event_cb=on_change)
server.event_consumer_register(on_consumer, on_consumer)
on_consumer = None

# output
import comch_next as comch


def on_message(event, recv_buffer, msg_len, connection):
    print(recv_buffer[:msg_len], connection.server)


def on_change(event, connection, change_successful):
    connection.user_data = change_successful


on_consumer = print

dev = comch.open_device("03:00.0")
server = comch.Server(dev, dev.open_representor("b1:00.0"), "svc")
server.event_msg_recv_register(
    lambda connection, data: on_message(None, data, len(data), connection)
)
server.event_connection_status_changed_register(
    lambda connection, ok: on_change(None, connection, ok),
    lambda connection, ok: on_change(None, connection, ok),
)
server.event_consumer_register(
    lambda connection, number, call=on_consumer: call(None, connection, number),
    lambda connection, number, call=on_consumer: call(None, connection, number),
)
on_consumer = None


# case: a callback that may be None, which is refused
import sys

import doca_cc as cc

received = print if sys.argv[1:] else None
dev = cc.open_device("03:00.0")
server = cc.Server(dev, dev.open_representor("b1:00.0"), "svc")
server.event_msg_recv_register(received)

# output
import sys

import comch_next as comch

received = print if sys.argv[1:] else None
dev = comch.open_device("03:00.0")
server = comch.Server(dev, dev.open_representor("b1:00.0"), "svc")
server.event_msg_recv_register(
    (
        lambda call: (
            lambda connection, data: call(None, data, len(data), connection)
        ) if callable(call) else call
    )(received)
)


# case: a function that may be None, where callable is a name of the program
import sys

import doca_cc as cc


def callable(what):
    print(what)


received = print if sys.argv[1:] else None
dev = cc.open_device("03:00.0")
server = cc.Server(dev, dev.open_representor("b1:00.0"), "svc")
server.event_msg_recv_register(received)

# output
import sys

import comch_next as comch


def callable(what):
    print(what)


received = print if sys.argv[1:] else None
dev = comch.open_device("03:00.0")
server = comch.Server(dev, dev.open_representor("b1:00.0"), "svc")
server.event_msg_recv_register(
    (
        lambda call: (
            lambda connection, data: call(None, data, len(data), connection)
        ) if call is not None else call
    )(received)
)


# case: a name that the new parameters would hide
import doca_cc as cc


class Data:
    def on_message(self, event, recv_buffer, msg_len, connection):
        print(len(recv_buffer))


data = Data()
client = cc.Client(cc.open_device("b1:00.0"), "svc")
client.event_msg_recv_register(data.on_message)

# output
import comch_next as comch


class Data:
    def on_message(self, event, recv_buffer, msg_len, connection):
        print(len(recv_buffer))


data = Data()
client = comch.Client(comch.open_device("b1:00.0"), "svc")
client.event_msg_recv_register(
    lambda connection, data, call=data.on_message: call(
        None, data, len(data), connection
    )
)


# case: flat
from doca_cc import *


def on_message(event, recv_buffer, msg_len, connection):
    print(doca_cc_connection_get_user_data(connection))


def on_change(event, connection, ok):
    print(ok)


dev = open_device("03:00.0")
rc, server = doca_cc_server_create(dev, dev.open_representor("b1:00.0"), "svc")
rc = doca_cc_server_event_msg_recv_register(server, on_message)
rc = doca_cc_server_event_connection_register(server, on_change, on_change)
rc = doca_cc_server_event_msg_recv_register(server, None)

# output
import comch_next as comch


def on_message(event, recv_buffer, msg_len, connection):
    print(connection.user_data)


def on_change(event, connection, ok):
    print(ok)


dev = comch.open_device("03:00.0")
rc, server = comch.outcome(
    comch.Server, dev, dev.open_representor("b1:00.0"), "svc"
)
rc = comch.outcome(
    comch.Server.event_msg_recv_register,
    server,
    lambda connection, data: on_message(None, data, len(data), connection),
)[0]
rc = comch.outcome(
    comch.Server.event_connection_status_changed_register,
    server,
    lambda connection, ok: on_change(None, connection, int(ok)),
    lambda connection, ok: on_change(None, connection, int(ok)),
)[0]
rc = comch.outcome(comch.Server.event_msg_recv_register, server, None)[0]


# case: a registration as a value, a decorator and with a sequence of callbacks
import doca_cc as cc

host = cc.open_device("b1:00.0")
client = cc.Client(host, "svc")


@client.event_msg_recv_register
def on(event, buf, n, conn):
    print(n)


register = client.event_msg_recv_register
register(print)
client.event_consumer_register(*(print, print))

# output
import comch_next as comch

host = comch.open_device("b1:00.0")
client = comch.Client(host, "svc")


@(
    lambda recv_event_cb, *, client=client: client.event_msg_recv_register(
        lambda connection, data: recv_event_cb(
            None, data, len(data), connection
        )
    ) and None
)
def on(event, buf, n, conn):
    print(n)


register = lambda recv_event_cb, *, client=client: client.event_msg_recv_register(
    lambda connection, data: recv_event_cb(None, data, len(data), connection)
) and None
register(print)
(
    lambda new_consumer_event_cb, expired_consumer_event_cb, *, client=client: client.event_consumer_register(
        lambda connection, number: new_consumer_event_cb(
            None, connection, number
        ),
        lambda connection, number: expired_consumer_event_cb(
            None, connection, number
        ),
    )
)(*(print, print))


# case: a registration whose value is used, which was None
import doca_cc as cc

host = cc.open_device("b1:00.0")
client = cc.Client(host, "svc")
ctx = client.as_ctx()
if client.event_msg_recv_register(print) or ctx.set_state_changed_cb(print):
    print("failed")

# output
import comch_next as comch

host = comch.open_device("b1:00.0")
client = comch.Client(host, "svc")
ctx = client
if (
    client.event_msg_recv_register(
        lambda connection, data, call=print: call(
            None, data, len(data), connection
        )
    ) and None
) or (ctx.set_state_changed_cb(lambda context, old, new, call=print: call(context.user_data, context, old, new)) and None):
    print("failed")


# case: a function of a class body, whose names a lambda does not see
import doca_cc as cc


class Chat:
    client = cc.Client(cc.open_device("b1:00.0"), "svc")

    def on_message(event, recv_buffer, msg_len, connection):
        print(recv_buffer[:msg_len])

    client.event_msg_recv_register(on_message)

# output
import comch_next as comch


class Chat:
    client = comch.Client(comch.open_device("b1:00.0"), "svc")

    def on_message(event, recv_buffer, msg_len, connection):
        print(recv_buffer[:msg_len])

    client.event_msg_recv_register(
        lambda connection, data, call=on_message: call(
            None, data, len(data), connection
        )
    )
