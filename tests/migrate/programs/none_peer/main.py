"""Clean-up that does not ask whether there is a peer; the codes it gets are counted, not heeded. Both spellings."""
import sys
import time

import doca_comm_channel as cc


class Session:
    """Connects if it can; `close` may be called at any time, and more than once."""

    def __init__(self, device, service):
        self.ep = cc.Endpoint()
        self.ep.set_device(device)
        self.peer = None
        self.open = False
        try:
            self.peer = self.ep.connect(service)
            self.open = True
        except cc.ConnectionAborted:
            print("session: nobody there")

    def close(self):
        codes = []
        for call, args in ((self.ep.disconnect, (self.peer,)), (self.ep.destroy, ())):
            try:
                call(*args)
                codes.append("DOCA_SUCCESS")
            except cc.DocaError as error:
                codes.append(error.name)
        self.open = False
        return codes


def flat_cleanup(ep, peer, dev):
    rc = cc.doca_comm_channel_ep_disconnect(ep, peer)
    print("disconnect", cc.doca_error_get_name(rc))
    rc = cc.doca_comm_channel_ep_destroy(ep)
    print("destroy", cc.doca_error_get_name(rc))
    if dev:
        cc.doca_dev_close(dev)


def flat_client(service, text):
    peer = None
    dev = cc.open_device("b1:00.0")
    rc, ep = cc.doca_comm_channel_ep_create()
    try:
        rc = cc.doca_comm_channel_ep_set_device(ep, dev)
        if rc != cc.DOCA_SUCCESS:
            return rc
        rc, peer = cc.doca_comm_channel_ep_connect(ep, service)
        if rc != cc.DOCA_SUCCESS:
            return rc
        return cc.doca_comm_channel_ep_sendto(ep, text, len(text), cc.DOCA_CC_MSG_FLAG_NONE, peer)
    finally:
        flat_cleanup(ep, peer, dev)


def main():
    dpu = cc.open_device("03:00.0")
    rep = dpu.open_representor("b1:00.0")
    host = cc.open_device("b1:00.0")
    print("code", flat_client("none_peer", b"early"))
    session = Session(host, "none_peer")
    print("closed", session.close())

    server = cc.Endpoint()
    server.set_device(dpu)
    server.set_device_rep(rep)
    server.listen("none_peer")
    for target in (None, *server.get_peer_addr_list()):
        try:
            server.sendto(b"to whom?", target)
        except (cc.NotConnected, cc.InvalidValue) as error:
            print("to None:", error.name)

    session = Session(host, "none_peer")
    try:
        server.recvfrom(100)
    except cc.Again:
        session.peer.update_info()
    session.ep.sendto(b"there", session.peer)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            print("server got", server.recvfrom(100)[0])
            break
        except cc.Again:
            time.sleep(1e-4)
    kept = session.peer
    print("closed", session.close(), session.peer is kept)
    server.destroy()
    for opened in (rep, dpu, host):
        opened.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
