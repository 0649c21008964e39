# case: kept: the endpoint is destroyed when an option is refused
import doca_comm_channel as cc

ep = None
try:
    ep = cc.Endpoint()
    ep.set_max_msg_size(100000)
finally:
    if ep is not None:
        ep.destroy()

# output
import comch_next as comch

ep = None
try:
    ep = comch.Channel(one_sided=True)
    ep.max_msg_size = 100000
finally:
    if ep is not None:
        ep.close()


# case: kept: a caller destroys what was made before an option was refused
import doca_comm_channel as cc

class Link:
    ep = None

    def open(self, size):
        self.ep = cc.Endpoint()
        self.ep.set_max_msg_size(4080)
        self.ep.set_send_queue_size(100000)

    def close(self):
        if self.ep is not None:
            self.ep.destroy()

link = Link()
try:
    link.open(4080)
except cc.DocaError:
    link.close()

# output
import comch_next as comch

class Link:
    ep = None

    def open(self, size):
        self.ep = comch.Channel(one_sided=True)
        self.ep.max_msg_size = 4080
        self.ep.send_queue_size = 100000

    def close(self):
        if self.ep is not None:
            self.ep.close()

link = Link()
try:
    link.open(4080)
except comch.DocaError:
    link.close()


# case: kept: a value that may be None, which is an error
import argparse
import doca_comm_channel as cc

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int)
args = parser.parse_args()
ep = cc.Endpoint()
ep.set_max_msg_size(args.size)

# output
import argparse
import comch_next as comch

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int)
args = parser.parse_args()
ep = comch.Channel(one_sided=True)
ep.max_msg_size = args.size


# case: kept: a device that may be None, which is an error
import sys
import doca_comm_channel as cc

device = None
if len(sys.argv) > 1:
    device = cc.open_device(sys.argv[1])
ep = cc.Endpoint()
ep.set_device(device)

# output
import sys
import comch_next as comch

device = None
if len(sys.argv) > 1:
    device = comch.open_device(sys.argv[1])
ep = comch.Channel(one_sided=True)
ep.device = device


# case: kept: something is done between
import doca_comm_channel as cc

device = cc.open_device("b1:00.0")
ep = cc.Endpoint()
print("made")
ep.set_device(device)

# output
import comch_next as comch

device = comch.open_device("b1:00.0")
ep = comch.Channel(one_sided=True)
print("made")
ep.device = device


# case: kept: a value with an effect
import doca_comm_channel as cc

sizes = [4080, 64]
ep = cc.Endpoint()
ep.set_max_msg_size(sizes.pop())

# output
import comch_next as comch

sizes = [4080, 64]
ep = comch.Channel(one_sided=True)
ep.configure(max_msg_size=sizes.pop())


# case: kept: another endpoint
import doca_comm_channel as cc

device = cc.open_device("b1:00.0")
first = cc.Endpoint()
second = cc.Endpoint()
first.set_device(device)

# output
import comch_next as comch

device = comch.open_device("b1:00.0")
first = comch.Channel(one_sided=True)
second = comch.Channel(one_sided=True)
first.device = device


# case: kept: on one line
import doca_comm_channel as cc

device = cc.open_device("b1:00.0")
ep = cc.Endpoint(); ep.set_device(device)

# output
import comch_next as comch

device = comch.open_device("b1:00.0")
ep = comch.Channel(one_sided=True); ep.device = device


# case: kept: nothing here calls the function
import doca_comm_channel as cc

def open_channel():
    ep = cc.Endpoint()
    ep.set_max_msg_size(100000)
    ep.connect("a")

# output
import comch_next as comch

def open_channel():
    ep = comch.Client(one_sided=True)
    ep.max_msg_size = 100000
    ep.connect("a", timeout=0)


# case: kept: a closure that runs at the end of the program reads the endpoint
import atexit
import doca_comm_channel as cc

ep = None
atexit.register(lambda: ep and ep.destroy())
ep = cc.Endpoint()
ep.set_max_msg_size(4080)

# output
import atexit
import comch_next as comch

ep = None
atexit.register(lambda: ep and ep.close())
ep = comch.Channel(one_sided=True)
ep.max_msg_size = 4080


# case: kept: an option in the value of a loop's else clause
import doca_comm_channel as cc

device = cc.open_device("b1:00.0")
for _ in range(1):
    ep = cc.Endpoint()
else:
    ep.set_device(device)

# output
import comch_next as comch

device = comch.open_device("b1:00.0")
for _ in range(1):
    ep = comch.Channel(one_sided=True)
else:
    ep.device = device


# case: kept: the handler around a with statement reads the endpoint
import contextlib
import doca_comm_channel as cc

made = []

@contextlib.contextmanager
def opened(size):
    ep = cc.Endpoint()
    made.append(ep)
    ep.set_max_msg_size(4080)
    yield ep
    ep.destroy()

try:
    with opened(1) as ep:
        ep.connect("a")
except cc.InvalidValue:
    made[0].destroy()

# output
import contextlib
import comch_next as comch

made = []

@contextlib.contextmanager
def opened(size):
    ep = comch.Client(one_sided=True)
    made.append(ep)
    ep.max_msg_size = 4080
    yield ep
    ep.close()

try:
    with opened(1) as ep:
        ep.connect("a", timeout=0)
except comch.InvalidValue:
    made[0].close()


# case: kept: a manager that goes on without an option
import contextlib
import doca_comm_channel as cc

@contextlib.contextmanager
def opened():
    ep = None
    try:
        ep = cc.Endpoint()
        ep.set_max_msg_size(4080)
    except cc.InvalidValue:
        print("refused")
    yield

with opened():
    print("in")

# output
import contextlib
import comch_next as comch

@contextlib.contextmanager
def opened():
    ep = None
    try:
        ep = comch.Channel(one_sided=True)
        ep.max_msg_size = 4080
    except comch.InvalidValue:
        print("refused")
    yield

with opened():
    print("in")


# case: kept: a manager that a stack enters
import contextlib
import doca_comm_channel as cc

@contextlib.contextmanager
def opened():
    ep = cc.Endpoint()
    ep.set_max_msg_size(4080)
    yield ep
    ep.destroy()

with contextlib.ExitStack() as stack:
    ep = stack.enter_context(opened())
    ep.connect("a")

# output
import contextlib
import comch_next as comch

@contextlib.contextmanager
def opened():
    ep = comch.Client(one_sided=True)
    ep.max_msg_size = 4080
    yield ep
    ep.close()

with contextlib.ExitStack() as stack:
    ep = stack.enter_context(opened())
    ep.connect("a", timeout=0)


# case: kept: a manager's object that is left when it could not be entered
import doca_comm_channel as cc

class Link:
    def __enter__(self):
        self.ep = cc.Endpoint()
        self.ep.set_max_msg_size(4080)
        return self.ep

    def __exit__(self, *error):
        self.ep.destroy()

link = Link()
try:
    with link as ep:
        ep.connect("a")
finally:
    link.ep.destroy()

# output
import comch_next as comch

class Link:
    def __enter__(self):
        self.ep = comch.Client(one_sided=True)
        self.ep.max_msg_size = 4080
        return self.ep

    def __exit__(self, *error):
        self.ep.close()

link = Link()
try:
    with link as ep:
        ep.connect("a", timeout=0)
finally:
    link.ep.close()


# case: a service
import doca_comm_channel as cc

device = cc.open_device("03:00.0")
rep = device.open_representor("b1:00.0")
ep = cc.Endpoint()
ep.set_device(device)  # the DPU's
ep.set_device_rep(rep)
ep.set_max_msg_size(4080)
ep.set_recv_queue_size(64)
ep.listen("a")

# output
import comch_next as comch

device = comch.open_device("03:00.0")
rep = device.open_representor("b1:00.0")
ep = comch.Server(
    device=device,
    device_rep=rep,
    max_msg_size=4080,
    recv_queue_size=64,
    one_sided=True,
)
# the DPU's
ep.listen("a")


# case: a client in a class, and a device opened on the way
import doca_comm_channel as cc

SIZE = 2 * 2040

class Link:
    def __init__(self, address, name):
        self.ep = cc.Endpoint()
        self.ep.set_device(cc.open_device(address))
        self.ep.set_max_msg_size(SIZE)
        self.peer = self.ep.connect(name)

try:
    link = Link("b1:00.0", "a")
except cc.DocaError as error:
    print(error.code)

# output
import comch_next as comch

SIZE = 2 * 2040

class Link:
    def __init__(self, address, name):
        self.ep = comch.Client(
            device=comch.open_device(address),
            max_msg_size=SIZE,
            one_sided=True,
        )
        self.peer = self.ep.connect(name, timeout=0)

try:
    link = Link("b1:00.0", "a")
except comch.DocaError as error:
    print(error.code)


# case: as far as the values are known
import sys
import doca_comm_channel as cc

def serve(address, size):
    device = cc.open_device("03:00.0")
    ep = cc.Endpoint()
    ep.set_device(device)
    ep.set_device_rep(device.open_representor(address))
    ep.set_max_msg_size(size)
    ep.listen("a")

serve(sys.argv[1], int(sys.argv[2]))

# output
import sys
import comch_next as comch

def serve(address, size):
    device = comch.open_device("03:00.0")
    ep = comch.Server(
        device=device,
        device_rep=device.open_representor(address),
        one_sided=True,
    )
    ep.max_msg_size = size
    ep.listen("a")

serve(sys.argv[1], int(sys.argv[2]))


# case: sizes before the device, which are not measured by it
import doca_comm_channel as cc

device = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_recv_queue_size(16384)
ep.set_device(device)
ep.connect("a")

# output
import comch_next as comch

device = comch.open_device("b1:00.0")
ep = comch.Client(recv_queue_size=16384, one_sided=True)
ep.device = device
ep.connect("a", timeout=0)


# case: made anew after a refusal
import doca_comm_channel as cc

def dial(device, name):
    ep = cc.Endpoint()
    ep.set_device(device)
    ep.set_send_queue_size(16)
    ep.connect(name)
    return ep

device = cc.open_device("b1:00.0")
while True:
    try:
        ep = dial(device, "a")
        break
    except cc.ConnectionAborted:
        pass
ep.destroy()

# output
import comch_next as comch

def dial(device, name):
    ep = comch.Client(device=device, send_queue_size=16, one_sided=True)
    ep.connect(name, timeout=0)
    return ep

device = comch.open_device("b1:00.0")
while True:
    try:
        ep = dial(device, "a")
        break
    except comch.ConnectionAborted:
        pass
ep.close()


# case: a manager that a generator makes
import contextlib
import doca_comm_channel as cc

@contextlib.contextmanager
def opened(size):
    ep = cc.Endpoint()
    ep.set_max_msg_size(4080)
    ep.set_send_queue_size(16)
    try:
        yield ep
    finally:
        ep.destroy()

with opened(4080) as ep:
    ep.connect("a")

# output
import contextlib
import comch_next as comch

@contextlib.contextmanager
def opened(size):
    ep = comch.Client(max_msg_size=4080, send_queue_size=16, one_sided=True)
    try:
        yield ep
    finally:
        ep.close()

with opened(4080) as ep:
    ep.connect("a", timeout=0)


# case: a manager of its own class
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.ep = cc.Endpoint()
        self.ep.set_max_msg_size(4080)
        return self.ep

    def __exit__(self, *error):
        self.ep.destroy()

def talk():
    with Link("a") as ep:
        ep.connect("a")

talk()

# output
import comch_next as comch

class Link:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.ep = comch.Client(max_msg_size=4080, one_sided=True)
        return self.ep

    def __exit__(self, *error):
        self.ep.close()

def talk():
    with Link("a") as ep:
        ep.connect("a", timeout=0)

talk()
