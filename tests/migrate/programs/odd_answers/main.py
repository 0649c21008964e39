"""Each thing done twice, too late, or to the wrong one: what the library answers, by exception and by code."""
import sys

import doca_comm_channel as cc
from doca_comm_channel import *


def name_of(call, *args):
    try:
        call(*args)
    except cc.ConnectionAborted:
        return "aborted"
    except cc.NotPermitted:
        return "not permitted"
    except cc.NotConnected:
        return "not connected"
    except cc.BadState:
        return "bad state"
    except cc.InvalidValue:
        return "invalid"
    except cc.DocaError as error:
        return error.name
    return "fine"


class Lab:
    def __init__(self):
        self.dpu = cc.open_device("03:00.0")
        self.rep = self.dpu.open_representor("b1:00.0")
        self.host = cc.open_device("b1:00.0")

    def service(self, name=None):
        ep = cc.Endpoint()
        ep.set_device(self.dpu)
        ep.set_device_rep(self.rep)
        if name is not None:
            ep.listen(name)
        return ep

    def client(self, name, service):
        ep = cc.Endpoint()
        ep.set_device(self.host)
        peer = ep.connect(name)
        before = name_of(ep.sendto, b"early", peer), name_of(peer.update_info)
        try:
            service.recvfrom(10)
        except cc.Again:
            peer.update_info()
        return ep, peer, before

    def close(self):
        self.rep.close()
        self.dpu.close()
        self.host.close()


def twice(lab):
    first, second = lab.service("one"), lab.service()
    print("taken name:", name_of(second.listen, "one"))
    print("listen twice:", name_of(first.listen, "two"))
    print("another name:", name_of(second.listen, "two"))
    ep, peer, before = lab.client("one", first)
    print("in progress:", *before)
    print("connect twice:", name_of(ep.connect, "one"))
    ep.disconnect(peer)
    print("disconnect twice:", name_of(ep.disconnect, peer))
    print("send after:", name_of(ep.sendto, b"late", peer), "receive after:", name_of(ep.recvfrom, 10))
    ep.destroy()
    print("destroy twice:", name_of(ep.destroy))
    second.destroy()
    print("name is free again:", name_of(lab.service().listen, "two"))
    first.destroy()


def wrong_one(lab):
    service = lab.service("three")
    ep, peer, _ = lab.client("three", service)
    other, other_peer, _ = lab.client("three", service)
    print("another's peer:", name_of(ep.sendto, b"x", other_peer), name_of(ep.disconnect, other_peer))
    ep.sendto(b"mine", peer)
    print("no peer:", name_of(ep.sendto, b"x", None), name_of(service.disconnect, None))
    print("still there:", service.recvfrom(10)[0])
    print("tiny limit:", name_of(lab.service().set_max_msg_size, 1))
    print("user data:", name_of(peer.set_user_data, -1), name_of(peer.set_user_data, 2**64 - 1), peer.get_user_data())
    for endpoint in (other, ep, service):
        endpoint.destroy()


def by_code(lab):
    rc, service = doca_comm_channel_ep_create()
    codes = [doca_comm_channel_ep_set_device(service, lab.host), doca_comm_channel_ep_listen(service, "four")]
    codes += [doca_comm_channel_ep_set_device(service, lab.dpu), doca_comm_channel_ep_connect(service, "four")[0]]
    print("wrong side:", *map(doca_error_get_name, codes))
    rc = doca_comm_channel_ep_set_max_msg_size(service, 1)
    print("tiny limit:", rc == 0, "in force:", doca_comm_channel_ep_get_max_msg_size(service)[1])
    rc = doca_comm_channel_ep_set_device_rep(service, lab.rep) or doca_comm_channel_ep_listen(service, "four")
    print("listens:", doca_error_get_name(rc), doca_error_get_name(doca_comm_channel_ep_listen(service, "four")))
    rc = doca_comm_channel_ep_sendto(None, b"x", 1, DOCA_CC_MSG_FLAG_NONE, None)
    print("no endpoint:", doca_error_get_name(rc))
    rc = doca_comm_channel_ep_destroy(service)
    while rc == DOCA_SUCCESS:
        rc, *_ = doca_comm_channel_ep_recvfrom(service, 10, DOCA_CC_MSG_FLAG_NONE)
    print("reader ends by:", doca_error_get_name(rc))
    print("destroy again:", doca_error_get_name(doca_comm_channel_ep_destroy(service)))


if __name__ == "__main__":
    lab = Lab()
    for part in twice, wrong_one, by_code:
        print("--", part.__name__)
        part(lab)
    sys.exit(0)
