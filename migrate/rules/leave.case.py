# case: a destructor of something else
def stop(window):
    window.disconnect()
    window.destroy()


# case: by role
import doca_comm_channel as cc


def serve(dev, rep):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.listen("svc")
    msg, peer = ep.recvfrom(64)
    ep.disconnect(peer)
    ep.destroy()


def call(dev):
    ep = cc.Endpoint()
    ep.set_device(dev)
    peer = ep.connect("svc")
    ep.disconnect(peer)
    ep.destroy()


dpu = cc.open_device("03:00.0")
serve(dpu, dpu.open_representor("b1:00.0"))
call(cc.open_device("b1:00.0"))

# output
import comch_next as comch


def serve(dev, rep):
    ep = comch.Server(dev, rep, "svc")
    ep.listen()
    msg, peer = ep.receive(64, timeout=0)
    ep.disconnect(peer)
    ep.close()


def call(dev):
    ep = comch.Client(dev, "svc")
    peer = ep.connect(timeout=0)
    ep.disconnect()
    ep.close()


dpu = comch.open_device("03:00.0")
serve(dpu, dpu.open_representor("b1:00.0"))
call(comch.open_device("b1:00.0"))


# case: one function for both roles
import doca_comm_channel as cc


def leave(ep, peer):
    ep.disconnect(peer)
    ep.destroy()


def serve(dev, rep):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.listen("svc")
    msg, peer = ep.recvfrom(64)
    leave(ep, peer)


def call(dev):
    ep = cc.Endpoint()
    ep.set_device(dev)
    peer = ep.connect("svc")
    leave(ep, peer)


dpu = cc.open_device("03:00.0")
serve(dpu, dpu.open_representor("b1:00.0"))
call(cc.open_device("b1:00.0"))

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def leave(ep, peer):
    # CCM047: the role of the endpoint in this function is not one (python -m migrate explain CCM047)
    ep.disconnect(peer)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.destroy()


def serve(dev, rep):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device_rep(rep)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.listen("svc")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    msg, peer = ep.recvfrom(64)
    leave(ep, peer)


def call(dev):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    peer = ep.connect("svc")
    leave(ep, peer)


# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dpu = cc.open_device("03:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
serve(dpu, dpu.open_representor("b1:00.0"))
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
call(cc.open_device("b1:00.0"))


# case: flat, in a finally
from doca_comm_channel import *


def main(dev):
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    peer = None
    try:
        rc = doca_comm_channel_ep_set_device(ep, dev)
        rc, peer = doca_comm_channel_ep_connect(ep, "svc")
        if rc != DOCA_SUCCESS:
            return rc
        return doca_comm_channel_ep_sendto(ep, b"x", 1, 0, peer)
    finally:
        if peer is not None:
            doca_comm_channel_ep_disconnect(ep, peer)
        doca_comm_channel_ep_destroy(ep)

# output
import comch_next as comch


def main(dev):
    rc, devs = comch.outcome(comch.devices)
    n = len(devs or ())
    rc, dev = comch.outcome(devs[0].open)
    ep = None
    peer = None
    try:
        rc, ep = comch.outcome(comch.Client, dev, "svc")
        if rc == comch.ErrorCode.SUCCESS:
            rc, peer = comch.outcome(ep.connect, timeout=0)
        if rc != comch.ErrorCode.SUCCESS:
            return rc
        return comch.outcome(peer.send, b"x", timeout=0)[0]
    finally:
        if peer is not None:
            comch.outcome(ep.disconnect)
        if ep is not None:
            comch.outcome(ep.close)
