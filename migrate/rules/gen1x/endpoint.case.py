# case: a service
import doca_comm_channel as cc

attr = cc.doca_comm_channel_init_attr()
attr.msgsize = 4080
attr.maxmsgs = 512
attr.flags = cc.DOCA_COMM_CHANNEL_INIT_FLAG_NONBLOCK
rc, ep = cc.doca_comm_channel_ep_create(attr)
if rc == cc.DOCA_SUCCESS:
    rc = cc.doca_comm_channel_ep_listen(ep, b"svc")
fd = cc.doca_comm_channel_ep_event_channel_get(ep)
rc = cc.doca_comm_channel_ep_destroy(ep)

# output
import comch_next as comch

attr = comch.InitAttr()
attr.msgsize = 4080
attr.maxmsgs = 512
attr.flags = 1
rc, ep = comch.outcome(comch.BlockingChannel, attr)
if rc == comch.ErrorCode.SUCCESS:
    rc = comch.outcome(ep.listen, b"svc")[0]
fd = ep.recv_fd if ep is not None else -1
rc = comch.outcome(comch.BlockingChannel.close, ep)[0]


# case: a client
from doca_comm_channel import *


def client(name):
    rc, ep = doca_comm_channel_ep_create(doca_comm_channel_init_attr(0, 0, 8, SERVICE_NAME_MAX))
    rc, peer = doca_comm_channel_ep_connect(ep, name)
    doca_comm_channel_ep_disconnect(ep, peer)
    doca_comm_channel_ep_destroy(ep)


client("svc")

# output
import comch_next as comch


def client(name):
    rc, ep = comch.outcome(comch.BlockingChannel, comch.InitAttr(0, 0, 8, 128))
    rc, peer = comch.outcome(comch.BlockingChannel.connect, ep, name)
    comch.outcome(comch.BlockingChannel.disconnect, ep, peer)
    comch.outcome(comch.BlockingChannel.close, ep)


client("svc")
