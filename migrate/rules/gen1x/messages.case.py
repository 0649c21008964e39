# case: flags that cannot be seen
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create(doca_comm_channel_init_attr())
doca_comm_channel_ep_listen(ep, "svc")
rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 64, int(input()))

# output
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create(doca_comm_channel_init_attr())
doca_comm_channel_ep_listen(ep, "svc")
# CCM040: a message flag that may not be DOCA_CC_MSG_FLAG_NONE (python -m migrate explain CCM040)
rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 64, int(input()))


# case: flags that a thread is given
from threading import Thread

from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create(doca_comm_channel_init_attr())
rc, peer = doca_comm_channel_ep_connect(ep, "svc")


def send(msg, flags=0):
    return doca_comm_channel_ep_sendto(ep, msg, 5, flags, peer)


send(b"hello", DOCA_CC_MSG_FLAG_DONTWAIT)
Thread(target=send, args=(b"hello", 7)).start()

# output
from threading import Thread

from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create(doca_comm_channel_init_attr())
rc, peer = doca_comm_channel_ep_connect(ep, "svc")


def send(msg, flags=0):
    # CCM040: a message flag that may not be DOCA_CC_MSG_FLAG_NONE (python -m migrate explain CCM040)
    return doca_comm_channel_ep_sendto(ep, msg, 5, flags, peer)


send(b"hello", DOCA_CC_MSG_FLAG_DONTWAIT)
Thread(target=send, args=(b"hello", 7)).start()


# case: functions that are called elsewhere, and one that is not given
import doca_comm_channel as cc

rc, ep = cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr())
receive = cc.doca_comm_channel_ep_recvfrom
print(receive(ep, 64, cc.DOCA_CC_MSG_FLAG_DONTWAIT))
poll = cc.doca_comm_channels_poll

# output
import doca_comm_channel as cc

rc, ep = cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr())
# CCM040: a message flag that may not be DOCA_CC_MSG_FLAG_NONE (python -m migrate explain CCM040)
receive = cc.doca_comm_channel_ep_recvfrom
print(receive(ep, 64, cc.DOCA_CC_MSG_FLAG_DONTWAIT))
# CCM022: comch_next has no counterpart (python -m migrate explain CCM022)
poll = cc.doca_comm_channels_poll


# case: calls that wait, and calls that do not
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create(doca_comm_channel_init_attr())
if rc != DOCA_SUCCESS:
    raise SystemExit(rc)
doca_comm_channel_ep_listen(ep, "svc")
rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 64, 0)
rc = doca_comm_channel_ep_sendto(ep, b"hello", 5, DOCA_CC_MSG_FLAG_DONTWAIT | DOCA_CC_MSG_FLAG_MORE, peer)
rc = doca_comm_channel_ep_sendto(ep, msg, length, DOCA_CC_MSG_FLAG_MORE, peer)
while True:
    rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 64, DOCA_CC_MSG_FLAG_DONTWAIT)
    if rc != DOCA_ERROR_AGAIN:
        break

# output
import comch_next as comch

rc, ep = comch.outcome(comch.BlockingChannel, comch.InitAttr())
if rc != comch.ErrorCode.SUCCESS:
    raise SystemExit(rc)
comch.outcome(ep.listen, "svc")
rc, msg, length, peer = ep.try_receive(64)
rc = comch.outcome(ep.send_to, b"hello", peer, timeout=0)[0]
rc = comch.outcome(ep.send_to, msg, length=length, connection=peer)[0]
while True:
    rc, msg, length, peer = ep.try_receive(64, timeout=0)
    if rc != comch.ErrorCode.AGAIN:
        break


# case: flags that ask to wait at times
from doca_comm_channel import *


class Channel:
    def __init__(self):
        rc, self.ep = doca_comm_channel_ep_create(doca_comm_channel_init_attr())
        rc, self.peer = doca_comm_channel_ep_connect(self.ep, "svc")

    def send(self, data, flags=0):
        if doca_comm_channel_ep_sendto(self.ep, data, len(data), flags, self.peer):
            raise OSError

    def receive(self, wait):
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(self.ep, 64, 0 if wait else DOCA_CC_MSG_FLAG_DONTWAIT)
        return msg


channel = Channel()
channel.send(b"hello")
channel.send(b"hello", flags=DOCA_CC_MSG_FLAG_DONTWAIT)
print(channel.receive(False))

# output
import comch_next as comch


class Channel:
    def __init__(self):
        rc, self.ep = comch.outcome(comch.BlockingChannel, comch.InitAttr())
        rc, self.peer = comch.outcome(comch.BlockingChannel.connect, self.ep, "svc")

    def send(self, data, flags=0):
        if comch.outcome(
            comch.BlockingChannel.send_to,
            self.ep,
            data=data,
            timeout=0 if flags & 1 else comch.arguments.UNSET,
            connection=self.peer,
        )[0]:
            raise OSError

    def receive(self, wait):
        rc, msg, length, peer = comch.BlockingChannel.try_receive(
            self.ep, size=64, timeout=comch.arguments.UNSET if wait else 0
        )
        return msg


channel = Channel()
channel.send(b"hello")
channel.send(b"hello", flags=1)
print(channel.receive(False))
