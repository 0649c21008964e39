# case: contexts of another module
client.as_ctx().start()
client.destroy()


# case: made, connected, started and stopped
import doca_cc as cc

dev = cc.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
pe = cc.ProgressEngine()
server = cc.Server(dev, repr=rep, name="svc")
ctx = server.as_ctx()
ctx.set_state_changed_cb(lambda user_data, ctx, old, new: print(old, new))
pe.connect_ctx(ctx)
state = server.as_ctx().start()
while ctx.get_state() != cc.DOCA_CTX_STATE_IDLE or ctx.get_num_inflight_tasks():
    ctx.flush_tasks()
ctx.stop()
server.destroy()

# output
import comch_next as comch

dev = comch.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
pe = comch.ProgressEngine(max_events=1)
server = comch.Server(dev, rep, "svc")
ctx = server
ctx.set_state_changed_cb(
    lambda context, old, new, call=(
        lambda user_data, ctx, old, new: print(old, new)
    ): call(context.user_data, context, old, new)
)
pe.connect_ctx(ctx)
state = server.start()
while ctx.state != comch.State.IDLE or ctx.num_inflight_tasks:
    ctx.flush_tasks()
ctx.stop()
server.destroy()


# case: flat
from doca_cc import *


def changed(user_data, ctx, old, new):
    print(user_data, new)


rc, pe = doca_pe_create()
rc, infos, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(infos[0])
rc, client = doca_cc_client_create(dev, "svc")
if rc == DOCA_SUCCESS:
    ctx = doca_cc_client_as_ctx(client)
    rc = doca_pe_connect_ctx(pe, ctx)
    rc = doca_ctx_set_state_changed_cb(ctx, changed)
    rc = doca_ctx_start(ctx)
    if rc not in (DOCA_SUCCESS, DOCA_ERROR_IN_PROGRESS):
        print(doca_error_get_name(rc))
    rc, state = doca_ctx_get_state(ctx)
    rc = doca_ctx_stop(doca_cc_client_as_ctx(client))
    rc = doca_cc_client_destroy(client)

# output
import comch_next as comch


def changed(user_data, ctx, old, new):
    print(user_data, new)


rc, pe = comch.outcome(comch.ProgressEngine, max_events=1)
rc, infos, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(infos[0].open)
rc, client = comch.outcome(comch.Client, dev, "svc") if dev is not None else (
    comch.ErrorCode.INVALID_VALUE, None
)
if rc == comch.ErrorCode.SUCCESS:
    ctx = client
    rc = comch.outcome(comch.ProgressEngine.connect_ctx, pe, ctx)[0]
    rc = comch.outcome(
        ctx.set_state_changed_cb,
        lambda context, old, new: changed(
            context.user_data, context, int(old), int(new)
        ),
    )[0]
    rc = ctx.try_start()
    if rc not in (comch.ErrorCode.SUCCESS, comch.ErrorCode.IN_PROGRESS):
        print(comch.code_name(rc))
    rc, state = comch.outcome(lambda: int(ctx.state))
    rc = client.try_stop()
    rc = comch.outcome(client.destroy)[0]


# case: a device and a name that may be None, which the old constructors refused
import doca_cc as cc


class App:
    def __init__(self, name=None):
        self.dev = None
        self.name = name

    def open(self):
        self.dev = cc.open_device("b1:00.0")

    def run(self):
        self.client = cc.Client(self.dev, self.name)


app = App()
app.open()
app.run()

# output
import comch_next as comch


class App:
    def __init__(self, name=None):
        self.dev = None
        self.name = name

    def open(self):
        self.dev = comch.open_device("b1:00.0")

    def run(self):
        self.client = comch.Client(
            comch.arguments.instance(self.dev, comch.Device, "dev"),
            comch.arguments.text(self.name, "name"),
        )


app = App()
app.open()
app.run()


# case: flat, a name that may be None
from doca_cc import *

dev, name = open_device("b1:00.0"), None
rc, client = doca_cc_client_create(dev, name)

# output
import comch_next as comch

dev, name = comch.open_device("b1:00.0"), None
rc, client = comch.outcome(comch.Client, dev, name) if name is not None else (
    comch.ErrorCode.INVALID_VALUE, None
)


# case: a start without an engine
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
try:
    client.as_ctx().start()
except cc.NotConnected:
    print("no engine")

# output
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
try:
    # CCM112: a context is started before an engine is connected to it (python -m migrate explain CCM112)
    client.as_ctx().start()
except cc.NotConnected:
    print("no engine")


# case: an engine that is connected after the start, by methods
import doca_cc as cc


class Link:
    def __init__(self):
        self.pe = cc.ProgressEngine()
        self.ctx = cc.Client(cc.open_device("b1:00.0"), "svc").as_ctx()

    def attach(self):
        self.pe.connect_ctx(self.ctx)

    def start(self):
        self.ctx.start()


link = Link()
try:
    link.start()
except cc.NotConnected:
    link.attach()

# output
import doca_cc as cc


class Link:
    def __init__(self):
        self.pe = cc.ProgressEngine()
        self.ctx = cc.Client(cc.open_device("b1:00.0"), "svc").as_ctx()

    def attach(self):
        self.pe.connect_ctx(self.ctx)

    def start(self):
        # CCM112: a context is started before an engine is connected to it (python -m migrate explain CCM112)
        self.ctx.start()


link = Link()
try:
    link.start()
except cc.NotConnected:
    link.attach()


# case: a stop before an engine is connected, flat
from doca_cc import *

rc, pe = doca_pe_create()
rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
ctx = doca_cc_client_as_ctx(client)
print(doca_ctx_stop(ctx))
doca_pe_connect_ctx(pe, ctx)
print(doca_ctx_start(ctx))

# output
import comch_next as comch

rc, pe = comch.outcome(comch.ProgressEngine, max_events=1)
rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
ctx = client
print(comch.Context.try_stop(ctx, strict=True))
comch.outcome(comch.ProgressEngine.connect_ctx, pe, ctx)
print(comch.Context.try_start(ctx))


# case: a stop without an engine, whose failure is caught
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
try:
    client.as_ctx().stop()
except cc.NotConnected:
    print("never connected")

# output
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
try:
    client.stop(strict=True)
except comch.NotConnected:
    print("never connected")


# case: a stop, as a value, before an engine may have been connected
import doca_cc as cc

pe = cc.ProgressEngine()
ctx = cc.Client(cc.open_device("b1:00.0"), "svc").as_ctx()
stop = ctx.stop
try:
    pe.connect_ctx(ctx)
    ctx.start()
finally:
    try:
        stop()
    except cc.NotConnected:
        print("never connected")

# output
import comch_next as comch

pe = comch.ProgressEngine(max_events=1)
ctx = comch.Client(comch.open_device("b1:00.0"), "svc")
stop = lambda *, ctx=ctx: ctx.stop(strict=True)
try:
    pe.connect_ctx(ctx)
    ctx.start()
finally:
    try:
        stop()
    except comch.NotConnected:
        print("never connected")


# case: a stop after an engine may have been connected, flat
from doca_cc import *

rc, pe = doca_pe_create()
rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
ctx = doca_cc_client_as_ctx(client)
rc = doca_cc_client_set_max_msg_size(client, 100)
if rc == DOCA_SUCCESS:
    rc = doca_pe_connect_ctx(pe, ctx)
rc = doca_ctx_stop(ctx)
if rc not in (DOCA_SUCCESS, DOCA_ERROR_NOT_CONNECTED):
    print("stop failed")

# output
import comch_next as comch

rc, pe = comch.outcome(comch.ProgressEngine, max_events=1)
rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
ctx = client
rc = comch.outcome(comch.Client.configure, client, max_msg_size=100)[0]
if rc == comch.ErrorCode.SUCCESS:
    rc = comch.outcome(comch.ProgressEngine.connect_ctx, pe, ctx)[0]
rc = comch.Context.try_stop(ctx, strict=True)
if rc not in (comch.ErrorCode.SUCCESS, comch.ErrorCode.NOT_CONNECTED):
    print("stop failed")


# case: a second destruction
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
client.destroy()
try:
    client.destroy()
except cc.InvalidValue:
    print("twice")

# output
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
client.destroy()
try:
    client.destroy(strict=True)
except comch.InvalidValue:
    print("twice")


# case: a second destruction in C, whose code is looked at
from doca_cc import *

rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
assert doca_cc_client_destroy(client) == DOCA_SUCCESS
if doca_cc_client_destroy(client) == DOCA_ERROR_INVALID_VALUE:
    print("twice")

# output
import comch_next as comch

rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
assert comch.outcome(
    comch.Client.destroy, client
)[0] == comch.ErrorCode.SUCCESS
if comch.outcome(
    comch.Client.destroy, client, strict=True
)[0] == comch.ErrorCode.INVALID_VALUE:
    print("twice")


# case: a second destruction of what a field holds, by a method
import doca_cc as cc

class End:
    def __init__(self):
        self.client = cc.Client(cc.open_device("b1:00.0"), "svc")

    def close(self):
        self.client.destroy()

end = End()
end.close()
end.close()

# output
import comch_next as comch

class End:
    def __init__(self):
        self.client = comch.Client(comch.open_device("b1:00.0"), "svc")

    def close(self):
        self.client.destroy(strict=True)

end = End()
end.close()
end.close()


# case: what is destroyed once, and made again before it is destroyed again
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
client.destroy()
client = cc.Client(cc.open_device("b1:00.0"), "svc")
client.destroy()

# output
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
client.destroy()
client = comch.Client(comch.open_device("b1:00.0"), "svc")
client.destroy()


# case: a second destruction in a loop
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
other = cc.Client(cc.open_device("b1:00.0"), "svc")
for end in (client, other, client):
    end.destroy()

# output
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
other = comch.Client(comch.open_device("b1:00.0"), "svc")
for end in (client, other, client):
    end.destroy(strict=True)


# case: a destruction that is tried again
import doca_cc as cc

pe = cc.ProgressEngine()
client = cc.Client(cc.open_device("b1:00.0"), "svc")
pe.connect_ctx(client.as_ctx())
while True:
    try:
        client.destroy()
        break
    except cc.InUse:
        pe.progress()
pe.destroy()

# output
import comch_next as comch

pe = comch.ProgressEngine(max_events=1)
client = comch.Client(comch.open_device("b1:00.0"), "svc")
pe.connect_ctx(client)
while True:
    try:
        client.destroy()
        break
    except comch.InUse:
        pe.progress()
pe.destroy()


# case: an end as a value, of which there may be another one
import doca_cc as cc

host = cc.open_device("b1:00.0")
client = cc.Client(host, "svc")
end = client.destroy
end()
end()

# output
import comch_next as comch

host = comch.open_device("b1:00.0")
client = comch.Client(host, "svc")
end = lambda *, client=client: client.destroy(strict=True)
end()
end()


# case: keywords of classes and methods that go by other names
import functools

import doca_cc as cc

host = cc.open_device("b1:00.0")
make, engine = cc.Client, cc.ProgressEngine
client = make(dev=host, name="svc")
other = functools.partial(cc.Client, name="other")(dev=host)
pe = engine()
attach = pe.connect_ctx
attach(ctx=client.as_ctx())

# output
import functools

import comch_next as comch

host = comch.open_device("b1:00.0")
make, engine = lambda dev, name: comch.Client(dev, name), lambda: comch.ProgressEngine(
    max_events=1
)
client = make(dev=host, name="svc")
other = functools.partial(
    lambda dev, name: comch.Client(dev, name), name="other"
)(dev=host)
pe = engine()
attach = lambda ctx, *, engine=pe: engine.connect_ctx(ctx)
attach(ctx=client)


# case: classes and methods that go by other names, with arguments by their places
import doca_cc as cc

host = cc.open_device("b1:00.0")
client = cc.Client(host, "svc")
make = cc.Client
other = make(host, "other")
attach = cc.ProgressEngine().connect_ctx
attach(other.as_ctx())

# output
import comch_next as comch

host = comch.open_device("b1:00.0")
client = comch.Client(host, "svc")
make = comch.Client
other = make(host, "other")
attach = comch.ProgressEngine(max_events=1).connect_ctx
attach(other)


# case: flat, a flush, which did nothing where it was refused
from doca_cc import *

rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
ctx = doca_cc_client_as_ctx(client)
doca_ctx_flush_tasks(ctx)
print(doca_ctx_flush_tasks(ctx))

# output
import comch_next as comch

rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
ctx = client
comch.outcome(comch.Context.flush_tasks, ctx)
print(comch.outcome(comch.Context.flush_tasks, ctx)[1])


# case: a method as a value of a server or a client, and a name that the old module does not have
import doca_cc as cc


def later(handle, ends):
    print(handle.as_ctx().get_state() == cc.State.IDLE)
    ends.append(handle.destroy)


dev = cc.open_device("03:00.0")
ends = []
later(cc.Server(dev, dev.open_representor("b1:00.0"), "svc"), ends)
later(cc.Client(cc.open_device("b1:00.0"), "svc"), ends)

# output
import doca_cc as cc


def later(handle, ends):
    # CCM012: the old module has no such name (python -m migrate explain CCM012)
    print(handle.as_ctx().get_state() == cc.State.IDLE)
    # CCM036: the value is a handle of several kinds (python -m migrate explain CCM036)
    ends.append(handle.destroy)


dev = cc.open_device("03:00.0")
ends = []
later(cc.Server(dev, dev.open_representor("b1:00.0"), "svc"), ends)
later(cc.Client(cc.open_device("b1:00.0"), "svc"), ends)


# case: names of services as bytes, which the old constructors took
import doca_cc as cc

NAME = b"svc"


class App:
    def __init__(self, name):
        self.name = name

    def run(self):
        return cc.Client(cc.open_device("b1:00.0"), self.name)


dev = cc.open_device("03:00.0")
server = cc.Server(dev, dev.open_representor("b1:00.0"), NAME)
client = App("svc".encode()).run()
make = cc.Client
other = make(cc.open_device("b1:00.0"), b"other")

# output
import comch_next as comch

NAME = b"svc"


class App:
    def __init__(self, name):
        self.name = name

    def run(self):
        return comch.Client(
            comch.open_device("b1:00.0"),
            comch.arguments.text(self.name, "name"),
        )


dev = comch.open_device("03:00.0")
server = comch.Server(
    dev, dev.open_representor("b1:00.0"), comch.arguments.text(NAME, "name")
)
client = App("svc".encode()).run()
make = lambda dev, name: comch.Client(dev, comch.arguments.text(name, "name"))
other = make(comch.open_device("b1:00.0"), b"other")


# case: flat, the name of a service as bytes
from doca_cc import *

rc, client = doca_cc_client_create(open_device("b1:00.0"), b"svc")

# output
import comch_next as comch

rc, client = comch.outcome(
    lambda dev, name: comch.Client(dev, comch.arguments.text(name, "name")),
    comch.open_device("b1:00.0"),
    b"svc",
)


# case: a stop of what is a context or a map
import doca_cc as cc

pe = cc.ProgressEngine()
ctx = cc.Client(cc.open_device("b1:00.0"), "svc").as_ctx()
pe.connect_ctx(ctx)
for part in (ctx, cc.Mmap()):
    try:
        part.stop()
    except cc.InProgress:
        pass

# output
import comch_next as comch

pe = comch.ProgressEngine(max_events=1)
ctx = comch.Client(comch.open_device("b1:00.0"), "svc")
pe.connect_ctx(ctx)
for part in (ctx, comch.Mmap()):
    try:
        part.stop()
    except comch.InProgress:
        pass
