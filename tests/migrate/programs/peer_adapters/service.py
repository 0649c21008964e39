import logging
import sys
import time

import doca_comm_channel as cc
import errtab

logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="svc[%(peer)s] %(levelname)s %(message)s")
root = logging.getLogger("svc")


class PeerLog(logging.LoggerAdapter):
    def process(self, msg, kwargs):
        kwargs["extra"] = {"peer": "-" if self.extra is None else "peer=%d" % self.extra.get_user_data()}
        return msg, kwargs


class Service:
    LIMIT = 16

    def __init__(self):
        self.log = PeerLog(root, None)
        self.totals = {"ok": 0, "bad": 0}
        self.dev = cc.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_device_rep(self.rep)

    def judge(self, msg):
        return cc.DOCA_SUCCESS if len(msg) <= self.LIMIT else cc.DOCA_ERROR_INVALID_VALUE

    def run(self):
        self.ep.listen("logs")
        self.log.info("listening on %s", "logs")
        log = None
        while True:
            try:
                msg, peer = self.ep.recvfrom(1024)
            except cc.Again:
                time.sleep(1e-4)
                continue
            if log is None:
                peer.set_user_data(msg[0])
                log = PeerLog(root, peer)
                self.ep.sendto(b"\0", peer)
                continue
            if msg == b"bye":
                log.info("left after %d good", self.totals["ok"])
                break
            code = self.judge(msg)
            if code == cc.DOCA_SUCCESS:
                log.info("%d bytes", len(msg))
                self.totals["ok"] += 1
            else:
                log.warning("rejected: %s (%d)", errtab.text(code), code)
                self.totals["bad"] += 1
            self.ep.sendto(bytes([code]) + (b"" if code else b"fine"), peer)
        self.ep.destroy()
        self.log.info("totals: %s", " ".join("%s=%d" % item for item in self.totals.items()))


service = Service()
try:
    service.run()
finally:
    service.rep.close()
    service.dev.close()
