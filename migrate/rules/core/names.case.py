# case: kept: a table of classes by which a type is asked for, where one of the endpoints that are asked about stays
import doca_comm_channel as cc

KINDS = {cc.Endpoint: "endpoint"}


def kind_of(handle):
    return next((kind for cls, kind in KINDS.items() if isinstance(handle, cls)), "unknown")


service, client = cc.Endpoint(), cc.Endpoint()
# CCM081: an old object is shown as text (python -m migrate explain CCM081)
print(service)
print(kind_of(service), kind_of(client))


# case: numbers and names of one's own
DOCA_ERROR_AGAIN = 5


def retry(r):
    return r == 5 or r == DOCA_ERROR_AGAIN


# case: a shadowed name
def use(cc):
    cc.listen("svc")
    return cc.Again, [cc.close() for cc in cc.all]


# case: names in every place
import functools
import sys

import doca_comm_channel as cc


def retry_on(*errors):
    return functools.partial(retry_on, *errors)


@retry_on(cc.Again, cc.ConnectionInprogress)
def work(code=cc.DOCA_SUCCESS):
    if code in (cc.DOCA_ERROR_AGAIN, cc.DOCA_ERROR_CONNECTION_INPROGRESS):
        raise cc.TimeOut("late") from None
    if code == cc.DOCA_ERROR_NOT_FOUND:
        sys.exit(code)
    print(f"{cc.doca_error_get_descr(code)!r:>20}", "%s" % cc.doca_get_error_name(code))
    return cc.DOCA_SUCCESS if code < cc.DOCA_ERROR_EMPTY else {cc.DocaError: 1}

# output
import functools
import sys

import comch_next as comch


def retry_on(*errors):
    return functools.partial(retry_on, *errors)


@retry_on(comch.Again, comch.ConnectionInprogress)
def work(code=comch.ErrorCode.SUCCESS):
    if code in (comch.ErrorCode.AGAIN, comch.ErrorCode.CONNECTION_INPROGRESS):
        raise comch.TimeOut("late") from None
    if code == comch.ErrorCode.NOT_FOUND:
        sys.exit(code)
    print(f"{comch.describe(code)!r:>20}", "%s" % comch.code_name(code))
    return comch.ErrorCode.SUCCESS if code < comch.ErrorCode.EMPTY else {
        comch.DocaError: 1
    }


# case: in a match
import doca_comm_channel as cc


def tell(code):
    match code:
        case cc.DOCA_SUCCESS:
            return "done"
        case cc.DOCA_ERROR_AGAIN | cc.DOCA_ERROR_IN_PROGRESS:
            return "not yet"
        case cc.ErrorCode.TIME_OUT if code:
            raise cc.TimeOut

# output
import comch_next as comch


def tell(code):
    match code:
        case comch.ErrorCode.SUCCESS:
            return "done"
        case comch.ErrorCode.AGAIN | comch.ErrorCode.IN_PROGRESS:
            return "not yet"
        case comch.ErrorCode.TIME_OUT if code:
            raise comch.TimeOut


# case: not every constant has a successor
import doca_comm_channel as cc

level = cc.DOCA_LOG_LEVEL_INFO
flag = cc.DOCA_CC_MSG_FLAG_DONTWAIT
cc.doca_log_backend_create_standard()

# output
import doca_comm_channel as cc

level = 50
# CCM012: the old module has no such name (python -m migrate explain CCM012)
flag = cc.DOCA_CC_MSG_FLAG_DONTWAIT


# case: an error text in a file whose handles stay old
from doca_comm_channel import *


def send(ep, peer):
    return doca_comm_channel_ep_sendto(ep, b"m", 1, 0, peer)


def show(rc):
    print(doca_get_error_string(rc))

# output
from doca_comm_channel import *


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def send(ep, peer):
    return doca_comm_channel_ep_sendto(ep, b"m", 1, 0, peer)


def show(rc):
    print(doca_get_error_string(rc))


# case: functions and classes as values
import doca_comm_channel as cc


def make(factory=cc.Endpoint):
    return factory()


def tried(call, *args):
    try:
        return call(*args)
    except cc.Again:
        return None


dev = cc.open_device("b1:00.0")
ep = make()
tried(ep.set_device, dev)
peer = tried(ep.connect, "svc")
for turn in range(3):
    tried(ep.sendto, b"x", peer)
    tried(ep.recvfrom, 64)
print(isinstance(peer, cc.PeerAddr), isinstance(ep, (int, cc.Endpoint)))
tried(ep.disconnect, peer)
tried(ep.destroy)

# output
import comch_next as comch


def make(factory=(lambda: comch.Channel(one_sided=True))):
    return factory()


def tried(call, *args):
    try:
        return call(*args)
    except comch.Again:
        return None


dev = comch.open_device("b1:00.0")
ep = make()
tried(lambda device, *, endpoint=ep: endpoint.configure(device=device), dev)
peer = tried(
    lambda name, *, endpoint=ep: endpoint.connect(name, timeout=0), "svc"
)
for turn in range(3):
    tried(
        lambda msg, peer, flags=0, *, endpoint=ep: endpoint.send_to(
            msg, peer, timeout=0
        ),
        b"x",
        peer,
    )
    tried(
        lambda size, flags=0, *, endpoint=ep: endpoint.receive(
            size, timeout=0
        ),
        64,
    )
print(isinstance(peer, comch.Connection), isinstance(ep, (int, comch.Context)))
tried(ep.disconnect, peer)
tried(ep.close)


# case: flat: a table of functions
from doca_comm_channel import *

STEPS = {"create": doca_comm_channel_ep_create, "describe": doca_error_get_descr}


def call(function, *args):
    result = function(*args)
    return result


rc, ep = STEPS["create"]()
rc = call(doca_comm_channel_ep_listen, ep, "svc")
rc = call(doca_comm_channel_ep_sendto, ep, b"x", 1, DOCA_CC_MSG_FLAG_NONE, None)
rc, msg, n, peer = call(doca_comm_channel_ep_recvfrom, ep, 64, 0)
print(STEPS["describe"](rc))

# output
import comch_next as comch

STEPS = {
    "create": lambda: comch.outcome(comch.Channel, one_sided=True),
    "describe": comch.describe,
}


def call(function, *args):
    result = function(*args)
    return result


rc, ep = STEPS["create"]()
rc = call(
    lambda local_ep, name: comch.outcome(comch.Server.listen, local_ep, name)[0],
    ep,
    "svc",
)
rc = call(
    lambda local_ep, msg, len, flags, peer_addr: comch.Server.try_send_to(
        local_ep, msg, length=len, connection=peer_addr
    ) if flags == 0 else comch.ErrorCode.INVALID_VALUE,
    ep,
    b"x",
    1,
    0,
    None,
)
rc, msg, n, peer = call(
    lambda local_ep, len, flags: comch.Server.try_receive(local_ep, len) if flags == 0 else (
        comch.ErrorCode.INVALID_VALUE, None, None, None
    ),
    ep,
    64,
    0,
)
print(STEPS["describe"](rc))


# case: every name of a star import
from doca_comm_channel import *

try:
    raise Again("late")
except (Again, ConnectionInprogress) as error:
    print(error.code, ErrorCode.AGAIN, code_name(error.code), DOCA_ERROR_AGAIN)
print(DOCA_LOG_LEVEL_INFO, DOCA_DEVINFO_IFACE_NAME_SIZE, doca_event_invalid_handle, DOCA_PCI_FUNC_TYPE_SF)

# output
import comch_next as comch

try:
    raise comch.Again("late")
except (comch.Again, comch.ConnectionInprogress) as error:
    print(error.code, comch.ErrorCode.AGAIN, comch.code_name(error.code), comch.ErrorCode.AGAIN)
print(50, 256, -1, comch.PciFuncType.SF)


# case: objects that are converted
import comm_channel_compat as cc

ep = cc.Endpoint()
modern = cc.unwrap(ep)
ep.destroy()

# output
import comm_channel_compat as cc

ep = cc.Endpoint()
# CCM022: comch_next has no counterpart (python -m migrate explain CCM022)
modern = cc.unwrap(ep)
ep.destroy()


# case: settings whose names are put together
import doca_comm_channel as cc

OPTIONS = {"max_msg_size": 4080, "send_queue_size": 16}


def made(device):
    ep = cc.Endpoint()
    ep.set_device(cc.open_device(device))
    for name, value in OPTIONS.items():
        getattr(ep, "set_" + name)(value)
    return [getattr(ep, f"get_{name}")() for name in OPTIONS]


print(made("b1:00.0"))

# output
import comch_next as comch

OPTIONS = {"max_msg_size": 4080, "send_queue_size": 16}


def made(device):
    ep = comch.Channel(one_sided=True)
    ep.configure(device=comch.open_device(device))
    for name, value in OPTIONS.items():
        ep.configure(**{name: value})
    return [getattr(ep, name) for name in OPTIONS]


print(made("b1:00.0"))


# case: the names of all result codes
import doca_comm_channel as cc

NAMES = {value: name for name, value in vars(cc).items() if name.startswith("DOCA_ERROR_")}
CODES = [getattr(cc, name) for name in dir(cc) if name == "DOCA_ERROR_AGAIN"]
print(NAMES[cc.doca_dev_close(None)], CODES)

# output
import comch_next as comch

NAMES = {
    value: name for name, value in comch.code_names().items() if name.startswith(
        "DOCA_ERROR_"
    )
}
CODES = [
    comch.code_names()[name] for name in comch.code_names() if name == "DOCA_ERROR_AGAIN"
]
print(NAMES[comch.outcome(comch.Device.close, None)[0]], CODES)


# case: a table of classes by which a type is asked for
import doca_comm_channel as cc

KINDS = {cc.Endpoint: "endpoint", cc.Device: "device"}


def kind_of(handle):
    return next((kind for cls, kind in KINDS.items() if isinstance(handle, cls)), "unknown")


service, client = cc.Endpoint(), cc.Endpoint()
service.listen("table")
client.connect("table")
print(kind_of(service), kind_of(client))

# output
import comch_next as comch

KINDS = {comch.Context: "endpoint", comch.Device: "device"}


def kind_of(handle):
    return next((kind for cls, kind in KINDS.items() if isinstance(handle, cls)), "unknown")


service, client = comch.Server(one_sided=True), comch.Client(one_sided=True)
service.listen("table")
client.connect("table", timeout=0)
print(kind_of(service), kind_of(client))


# case: numbers that are shown by their repr
import doca_cc as cc

seen = [cc.DOCA_CTX_STATE_IDLE]
seen.append(cc.DOCA_CTX_STATE_RUNNING)
print(seen, seen[-1] == cc.DOCA_CTX_STATE_RUNNING)

# output
import comch_next as comch

seen = [comch.State.IDLE.value]
seen.append(comch.State.RUNNING.value)
print(seen, seen[-1] == comch.State.RUNNING)


# case: types in quotes that are no annotations
from typing import TYPE_CHECKING, Callable, Dict, Literal, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    import doca_comm_channel as cc

Handler = Callable[["cc.PeerAddr", bytes], "bytes | None"]
P = TypeVar("P", bound="cc.PeerAddr")
Kind = Literal["cc.PeerAddr"]
Peer: "TypeAlias" = "cc.PeerAddr"
table = {"cc.PeerAddr": 1}


def first(peers: "Dict[str, cc.PeerAddr]", kind: Literal["cc.PeerAddr"]):
    return cast("cc.PeerAddr", peers[kind])

# output
from typing import TYPE_CHECKING, Callable, Dict, Literal, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    import comch_next as comch

Handler = Callable[["comch.Connection", bytes], "bytes | None"]
P = TypeVar("P", bound="comch.Connection")
Kind = Literal["cc.PeerAddr"]
Peer: "TypeAlias" = "comch.Connection"
table = {"cc.PeerAddr": 1}


def first(peers: "Dict[str, comch.Connection]", kind: Literal["cc.PeerAddr"]):
    return cast("comch.Connection", peers[kind])


# case: codes, states and flags that are compared by identity with numbers, which are no members of enums
import sys

from doca_cc import *

AGAIN = 5


def on_state(user_data, ctx, old, new):
    if new is DOCA_CTX_STATE_RUNNING and DOCA_CTX_STATE_IDLE is not old is not None:
        sys.exit("running")


def open_first():
    rc, infos, count = doca_devinfo_create_list()
    if rc is DOCA_SUCCESS and rc is not AGAIN:
        rc, dev = doca_dev_open(infos[0])
        return None if rc is 6 else dev
    return count


flags = 0
flags |= DOCA_ACCESS_FLAG_PCI_READ_WRITE
print(flags is 16, flags is DOCA_ACCESS_FLAG_PCI_READ_WRITE, open_first() is None)
last = DOCA_SUCCESS
sys.exit(last is not (0))

# output
import sys

import comch_next as comch

AGAIN = 5


def on_state(user_data, ctx, old, new):
    if new == comch.State.RUNNING and comch.State.IDLE != old is not None:
        sys.exit("running")


def open_first():
    rc, infos, count = comch.outcome_list(comch.devices)
    if rc is comch.ErrorCode.SUCCESS and rc != AGAIN:
        rc, dev = comch.outcome(infos[0].open)
        return None if rc == 6 else dev
    return count


flags = 0
flags |= comch.AccessFlag.PCI_READ_WRITE
print(flags == 16, flags == comch.AccessFlag.PCI_READ_WRITE, open_first() is None)
last = comch.ErrorCode.SUCCESS
sys.exit(last != 0)


# case: a code that `==` would not tell from False, and the code of an exception, which was a member already
import doca_comm_channel as cc

done = False
rc, infos = cc.doca_devinfo_create_list()[:2]


def is_done():
    return done is cc.DOCA_SUCCESS


try:
    cc.open_device("b1:00.0").close()
except cc.DocaError as error:
    print(error.code is cc.DOCA_ERROR_NOT_FOUND)
    done = rc
print(is_done(), infos)

# output
import comch_next as comch
import doca_comm_channel as cc

done = False
# CCM082: an old object is inspected, compared, copied or pickled (python -m migrate explain CCM082)
rc, infos = cc.doca_devinfo_create_list()[:2]


def is_done():
    # CCM082: an old object is inspected, compared, copied or pickled (python -m migrate explain CCM082)
    return done is cc.DOCA_SUCCESS


try:
    comch.open_device("b1:00.0").close()
except comch.DocaError as error:
    # CCM082: an old object is inspected, compared, copied or pickled (python -m migrate explain CCM082)
    print(error.code is cc.DOCA_ERROR_NOT_FOUND)
    done = rc
print(is_done(), infos)
